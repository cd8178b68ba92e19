import { describe, expect, it } from "vitest";
import { includes } from "./kept-properties.ts";
import { stackRewrites } from "./stack-rewrites.ts";
import type { Template } from "./template.ts";

function rewritten(resources: Template["Resources"], others: Partial<Template> = {}): Template {
  const template: Template = { Resources: structuredClone(resources), ...others };
  for (const { apply } of stackRewrites) apply(template, "http://127.0.0.1:4566");
  return template;
}

describe("the rewrites for an emulator that runs nothing", () => {
  it("name FIFO queues without a name, and no others", () => {
    const { Resources } = rewritten({
      Events: { Type: "AWS::SQS::Queue", Properties: { FifoQueue: true } },
      Named: { Type: "AWS::SQS::Queue", Properties: { FifoQueue: true, QueueName: "a.fifo" } },
      Mail: { Type: "AWS::SQS::Queue", Properties: {} },
    });
    expect(Object.values(Resources).map(({ Properties }) => Properties.QueueName)).toEqual([
      "Events.fifo",
      "a.fifo",
      undefined,
    ]);
  });

  it("replace references to resources of skipped types, and no others", () => {
    const Key = { Type: "AWS::SecretsManager::Secret" };
    const Codes = { Type: "AWS::DynamoDB::Table" };
    const variables = { KEY: { Ref: "Key" }, URL: { "Fn::GetAtt": ["Key", "Id"] }, TABLE: { Ref: "Codes" } };
    const Role = { Type: "AWS::IAM::Role", Properties: variables };
    const { Resources } = rewritten({ Key, Codes, Role });
    const arn = "arn:aws:none:::Key";
    expect(Resources.Role?.Properties).toEqual({ KEY: arn, URL: arn, TABLE: { Ref: "Codes" } });
  });

  it("replace only the attributes that the emulator does not know", () => {
    const type = "AWS::ElasticLoadBalancingV2::TargetGroup";
    const reference = (attribute: string) => ({ "Fn::GetAtt": ["Targets", attribute] });
    const Outputs = {
      Name: { Value: reference("TargetGroupFullName") },
      Others: { Value: reference("LoadBalancerArns") },
    };
    expect(rewritten({ Targets: { Type: type } }, { Outputs }).Outputs).toEqual({
      Name: { Value: "arn:aws:none:::Targets" },
      Others: { Value: reference("LoadBalancerArns") },
    });
  });

  it("remove the check of the bootstrap's version", () => {
    const template = rewritten({}, { Parameters: { BootstrapVersion: {} }, Rules: { CheckVersion: {} } });
    expect(template).toEqual({ Resources: {} });
  });
});

describe("what a service says of a resource", () => {
  it.each([
    { title: "numbers as texts", actual: { Delay: "2" }, expected: { Delay: 2 }, result: true },
    { title: "more than the template says", actual: { a: 1, b: 2 }, expected: { a: 1 }, result: true },
    { title: "another number", actual: { Delay: "3" }, expected: { Delay: 2 }, result: false },
    { title: "nothing", actual: undefined, expected: false, result: false },
    { title: "lists in another order", actual: ["b", "a"], expected: ["a", "b"], result: true },
    { title: "a shorter list", actual: ["a"], expected: ["a", "b"], result: false },
    { title: "anything for what is computed", actual: "arn", expected: { Ref: "Queue" }, result: true },
    { title: "nothing for what is computed", actual: undefined, expected: { Ref: "Queue" }, result: false },
  ])("compares with the template: $title", ({ actual, expected, result }) => {
    expect(includes(actual, expected)).toBe(result);
  });
});
