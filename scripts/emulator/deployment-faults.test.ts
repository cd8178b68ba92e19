import { describe, expect, it } from "vitest";
import { breakFunction, changeFunctions, failAtTheEnd } from "./deployment-faults.ts";
import type { Template } from "./template.ts";

const templateOf = (stack: string): Template => ({
  Resources: {
    Queue: { Type: "AWS::SQS::Queue", Metadata: { "aws:cdk:path": `${stack}/mail-queue/Resource` } },
    Function: {
      Type: "AWS::Lambda::Function",
      Properties: { MemorySize: 512 },
      Metadata: { "aws:cdk:path": `${stack}/mail-delivery-function/Function/Resource` },
    },
  },
});

describe("a failure at the end", () => {
  const { apply } = failAtTheEnd("parley-dev-api");

  it("waits for all other resources of its stack, then for a signal that never arrives", () => {
    const template = templateOf("parley-dev-api");
    expect(apply(template, "")).toBe(1);
    expect(template.Resources.Failure).toEqual({
      Type: "AWS::CloudFormation::WaitCondition",
      Properties: { Handle: { Ref: "Signal" }, Timeout: "1" },
      DependsOn: ["Queue", "Function"],
    });
  });

  it("does not change other stacks, even if their names begin alike", () => {
    for (const stack of ["parley-dev-data", "parley-dev-api-2"]) {
      const template = templateOf(stack);
      expect(apply(template, "")).toBe(0);
      expect(template).toEqual(templateOf(stack));
    }
  });
});

describe("a change of functions", () => {
  it("changes all of them, and nothing else", () => {
    const template = templateOf("parley-dev-api");
    expect(changeFunctions.apply(template, "")).toBe(1);
    expect(template.Resources.Function?.Properties).toEqual({ MemorySize: 576 });
    expect(template.Resources.Queue).toEqual(templateOf("parley-dev-api").Resources.Queue);
  });
});

describe("a broken function", () => {
  it("has a handler that does not exist", () => {
    const template = templateOf("parley-dev-api");
    expect(breakFunction("mail-delivery").apply(template, "")).toBe(1);
    expect(template.Resources.Function?.Properties).toMatchObject({ Handler: "missing.handler" });
  });

  it("is the only one that changes", () => {
    const template = templateOf("parley-dev-api");
    expect(breakFunction("mail").apply(template, "")).toBe(0);
    expect(template).toEqual(templateOf("parley-dev-api"));
  });
});
