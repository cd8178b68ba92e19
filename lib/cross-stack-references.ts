import { type CfnOutput, Fn, Stack } from "aws-cdk-lib";
import { DEFAULT_CROSS_STACK_REFERENCES } from "aws-cdk-lib/cx-api";
import type { IConstruct } from "constructs";

/**
 * Whether stacks refer to each other by exports, which emulators of CloudFormation support, instead of by
 * `Fn::GetStackOutput`.
 */
export const refersStrongly = (scope: IConstruct): boolean =>
  scope.node.tryGetContext(DEFAULT_CROSS_STACK_REFERENCES) === "strong";

/**
 * The reference by which other stacks read an output, and its spelling in the security checks. The CDK would create the
 * same reference, but too late to acknowledge its finding.
 */
export function referenceElsewhere(output: CfnOutput): { readonly value: string; readonly finding: string } {
  const stack = Stack.of(output);
  if (refersStrongly(output)) {
    const value = stack.exportValue(output.value);
    return { value, finding: stack.resolve(value)["Fn::ImportValue"] };
  }
  const value = Fn.getStackOutput(stack.stackName, stack.resolve(output.logicalId));
  return { value, finding: JSON.stringify(stack.resolve(value)) };
}
