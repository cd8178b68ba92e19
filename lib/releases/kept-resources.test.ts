import { expect, test } from "vitest";
import { keptResources, lossesBetween, type StackTemplate } from "./kept-resources.ts";

const table = (keys: readonly string[]) => ({
  Type: "AWS::DynamoDB::Table",
  Properties: { KeySchema: keys.map((AttributeName) => ({ AttributeName })), BillingMode: "PAY_PER_REQUEST" },
});
const data = (resources: StackTemplate["Resources"], exported: readonly string[] = []) =>
  keptResources({
    data: {
      Resources: resources,
      Outputs: Object.fromEntries(exported.map((name) => [name, { Export: { Name: name } }])),
    },
  });
const released = data({ codes: table(["codeKey"]), bus: { Type: "AWS::SQS::Queue" } }, ["codes-name"]);

test("a release may add anything, and change properties that need no new resource", () => {
  const codes = table(["codeKey"]);
  const changed = { ...codes, Properties: { ...codes.Properties, BillingMode: "PROVISIONED" } };
  const resources = { codes: changed, bus: { Type: "AWS::SQS::Queue" }, more: table(["pk"]) };
  expect(lossesBetween(released, data(resources, ["codes-name", "more"]))).toEqual([]);
});

test("a release must not change the keys of a table, remove resources with data, or remove an export", () => {
  const fifo = { Type: "AWS::SQS::Queue", Properties: { FifoQueue: true } };
  const losses = lossesBetween(released, data({ codes: table(["codeKey", "sk"]), bus: fifo }));
  expect(losses.map(({ says }) => says)).toEqual([
    "AWS::DynamoDB::Table codes of the stack data would be replaced by an empty one, because KeySchema changes",
    "AWS::SQS::Queue bus of the stack data would be replaced by an empty one, because FifoQueue changes",
    "The export codes-name of the stack data would be missing, and AWS refuses that while it is used",
  ]);
  const moved = keptResources({ other: { Resources: { codes: table(["codeKey"]) } } });
  expect(lossesBetween(released, moved)[0]).toEqual({
    name: "data/codes",
    says: "AWS::DynamoDB::Table codes of the stack data would be removed, with what it holds",
  });
});
