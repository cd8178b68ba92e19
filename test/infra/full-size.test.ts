import { describe, expect, it } from "vitest";
import { families } from "#functions/families.ts";
import { synthesise as synthesiseStacks } from "#lib/stacks/synthesise.ts";
import { readStage } from "#lib/stage.ts";
import type { Family } from "#shared/platform/manifest.ts";
import { familiesAtFullSize } from "./planned-functions.ts";

// biome-ignore lint/suspicious/noExplicitAny: a template is JSON whose shape differs by resource type
type Json = any;

interface StackTemplate {
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties: Json }>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown; readonly Export?: unknown }>>;
}

/** Every object inside a value that has a certain key, such as the name of an intrinsic function. */
function objectsWith(key: string, value: unknown): Json[] {
  if (typeof value !== "object" || value === null) return [];
  return [
    ...(key in value ? [value] : []),
    ...Object.values(value).flatMap((part) => objectsWith(key, part)),
  ];
}

function synthesise(families: readonly Family[]) {
  const stacks = synthesiseStacks(readStage("prod"), { families }).stacks.map((stack) => ({
    ...stack,
    template: stack.template as StackTemplate,
  }));
  const templateOf = (stackName: string) => stacks.find(({ name }) => name === stackName)?.template;

  /** A value about as long as on AWS, where a generated name contains the stack, the logical id and a random suffix. */
  function resolved(value: Json, stackName: string): Json {
    if (Array.isArray(value)) return value.map((part) => resolved(part, stackName));
    if (typeof value !== "object" || value === null) return value;
    if ("Fn::Join" in value) return resolved(value["Fn::Join"][1], stackName).join(value["Fn::Join"][0]);
    if ("Fn::GetStackOutput" in value) {
      const { StackName: producer, OutputName: output } = value["Fn::GetStackOutput"];
      return resolved(templateOf(producer)?.Outputs?.[output]?.Value, producer);
    }
    const id: string | undefined = value.Ref ?? value["Fn::GetAtt"]?.[0];
    if (id === undefined) {
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, resolved(part, stackName)]));
    }
    if (id.startsWith("AWS::")) return "ap-southeast-2";
    const name = `${stackName}-${id}-0123456789ABC`;
    const isTableName = value.Ref && templateOf(stackName)?.Resources[id]?.Type === "AWS::DynamoDB::Table";
    return isTableName ? name : `arn:aws:secretsmanager:ap-southeast-2:123456789012:secret:${name}`;
  }

  const ofType = (type: string) =>
    stacks.flatMap(({ name, template }) =>
      Object.values(template.Resources)
        .filter((resource) => resource.Type === type)
        .map(({ Properties }) => resolved(Properties, name)),
    );
  return { stacks, ofType };
}

const sizes: [string, ReturnType<typeof synthesise>][] = [
  ["today", synthesise(families)],
  ["at full size", synthesise(familiesAtFullSize())],
];

const largest = (lengths: Iterable<number>) => Math.max(...lengths);
const lengthOf = (value: unknown) => JSON.stringify(value).length;
const sumByKey = (entries: readonly [string, number][]) =>
  [...Map.groupBy(entries, ([key]) => key).values()].map((group) =>
    group.reduce((sum, [, length]) => sum + length, 0),
  );

/** The API that a reference leads to. */
const apiIn = (reference: unknown) =>
  /(public|internal|socket)(?=-?api)/.exec(JSON.stringify(reference))?.[1] ?? "unknown API";

describe.each(sizes)("the stacks %s", (_, { stacks, ofType }) => {
  it("have at most 450 resources each: CloudFormation allows 500", () => {
    const counts = stacks.map(({ template }) => Object.keys(template.Resources).length);
    expect(largest(counts)).toBeLessThanOrEqual(450);
  });

  it("stay below the other quotas of a template: 200 outputs, 1 MB", () => {
    expect(largest(stacks.map(({ template }) => Object.keys(template.Outputs ?? {}).length))).toBeLessThan(
      180,
    );
    expect(largest(stacks.map(({ template }) => lengthOf(template)))).toBeLessThan(900_000);
  });

  it("have fewer than 290 routes per API: API Gateway allows 300", () => {
    const apis = Map.groupBy(ofType("AWS::ApiGatewayV2::Route"), ({ ApiId }) => ApiId);
    expect(apis.size).toBe(3);
    for (const [api, { length }] of apis) expect(length, apiIn(api)).toBeLessThan(290);
  });

  it("keep the inline policies of each role below the 10,240 characters that IAM allows", () => {
    const policies = ofType("AWS::IAM::Policy").flatMap(({ Roles, PolicyDocument }) =>
      Roles.map((role: string): [string, number] => [role, lengthOf(PolicyDocument)]),
    );
    expect(largest(sumByKey(policies))).toBeLessThan(10_240);
  });

  it("keep the resource policy of each function below the 20 KB that Lambda allows", () => {
    const permissions = ofType("AWS::Lambda::Permission").map(
      ({ FunctionName, Principal, Action, SourceArn, SourceAccount }): [string, number] => {
        const statement = {
          Sid: "0190a5b8-7f6e-7d43-8a51-3c2a9be0d1f4-0190a5b8-7f6e-7d43-8a51-3c2a9be0d1f4",
          Effect: "Allow",
          Principal: { Service: Principal },
          Action,
          Resource: FunctionName,
          Condition: {
            StringEquals: { "AWS:SourceAccount": SourceAccount },
            ArnLike: { "AWS:SourceArn": SourceArn },
          },
        };
        return [FunctionName, lengthOf(statement)];
      },
    );
    expect(largest(sumByKey(permissions))).toBeLessThan(20 * 1024);
  });

  it("keep the environment of each function below the 4 KB that Lambda allows", () => {
    const lengths = ofType("AWS::Lambda::Function").map(({ Environment }) => lengthOf(Environment.Variables));
    expect(largest(lengths)).toBeLessThan(4 * 1024);
  });

  it("import no export of another stack, so that no change fails because an export is in use", () => {
    for (const { name, template } of stacks) {
      expect(objectsWith("Export", template.Outputs ?? {}), name).toEqual([]);
      expect(objectsWith("Fn::ImportValue", template), name).toEqual([]);
    }
  });

  it("read only outputs that exist, of stacks that are deployed earlier", () => {
    for (const { name, needs, template } of stacks) {
      const references = objectsWith("Fn::GetStackOutput", template).map(
        (part) => part["Fn::GetStackOutput"],
      );
      for (const { StackName: producer, OutputName: output } of references) {
        expect(needs, name).toContain(producer);
        const outputs = stacks.find((stack) => stack.name === producer)?.template.Outputs ?? {};
        expect(outputs, `${name} reads from ${producer}`).toHaveProperty(output);
      }
    }
  });

  it.each([
    ["AWS::DynamoDB::Table", "TableName"],
    ["AWS::SQS::Queue", "QueueName"],
    ["AWS::SecretsManager::Secret", "Name"],
    ["AWS::Lambda::Function", "FunctionName"],
    ["AWS::IAM::Role", "RoleName"],
    ["AWS::Logs::LogGroup", "LogGroupName"],
  ])("let CloudFormation name each %s, which can then be replaced and moved", (type, property) => {
    const resources = ofType(type);
    expect(resources).not.toEqual([]);
    expect(resources.filter((properties) => property in properties)).toEqual([]);
  });
});
