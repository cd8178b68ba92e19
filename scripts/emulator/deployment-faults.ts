import { change, type Rewrite } from "./template.ts";

/** Makes the creation of a stack fail after all of its other resources: it waits for a signal that never arrives. */
export const failAtTheEnd = (stack: string): Rewrite => ({
  reason: `the creation of the stack ${stack} fails at its last resource`,
  apply({ Resources }) {
    const ids = Object.keys(Resources);
    const isOf = Object.values(Resources).some(({ Metadata }) =>
      String(Metadata?.["aws:cdk:path"]).startsWith(`${stack}/`),
    );
    if (!isOf) return 0;
    Resources.Signal = { Type: "AWS::CloudFormation::WaitConditionHandle" };
    Resources.Failure = {
      Type: "AWS::CloudFormation::WaitCondition",
      Properties: { Handle: { Ref: "Signal" }, Timeout: "1" },
      DependsOn: ids,
    };
    return 1;
  },
});

/** The value that {@link changeFunctions} gives functions. */
export const moreMegabytes = 64;

/** Changes all functions, as a release does. */
export const changeFunctions: Rewrite = {
  reason: "functions have more memory",
  apply: ({ Resources }) =>
    change(Resources, ({ Type, Properties }) => {
      if (Type !== "AWS::Lambda::Function") return false;
      Properties.MemorySize += moreMegabytes;
      return true;
    }),
};

/** Makes each start of a function fail. */
export const breakFunction = (name: string): Rewrite => ({
  reason: `the function ${name} does not start`,
  apply: ({ Resources }) =>
    change(Resources, ({ Type, Metadata, Properties }) => {
      const [, construct] = String(Metadata?.["aws:cdk:path"]).split("/");
      if (Type !== "AWS::Lambda::Function" || construct !== `${name}-function`) return false;
      Properties.Handler = "missing.handler";
      return true;
    }),
});
