import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, it } from "vitest";
import { synthesise } from "#lib/stacks/synthesise.ts";
import { readStage, stageNames } from "#lib/stage.ts";
import { creationOrder, largestGroup } from "./creation-order.ts";

describe.each(stageNames())("the templates of the stage %s", (name) => {
  const { stacks } = synthesise(readStage(name));

  it("let CloudFormation create at most ten parts of an API at the same time, in an order without cycles", () => {
    for (const { name, template } of stacks) {
      const order = creationOrder(template);
      const parts = [...order.keys()].filter((id) =>
        template.Resources[id].Type.startsWith("AWS::ApiGatewayV2::"),
      );
      expect(largestGroup(order, parts), name).toBeLessThanOrEqual(10);
    }
  });
});

describe.each(["prod", "emulator"])("the templates of the stage %s with strong references", (name) => {
  const { app, stacks } = synthesise(readStage(name), { isStrong: true });

  it("refer to each other by exports only", () => {
    const text = JSON.stringify(stacks.map(({ template }) => template));
    expect(text).not.toContain("Fn::GetStackOutput");
    const exported = stacks.flatMap(({ template }) =>
      Object.values<{ Export?: { Name: string } }>(template.Outputs ?? {}).map((one) => one.Export?.Name),
    );
    const imported = [...text.matchAll(/"Fn::ImportValue":"([^"]+)"/g)].map(([, one]) => one);
    expect(imported.length).toBeGreaterThan(0);
    expect(exported).toEqual(expect.arrayContaining([...new Set(imported)]));
  });

  it("have no unexplained findings in the security checks", () => {
    expect(new AwsSolutionsChecks().validateScope(app).violations).toEqual([]);
  });

  it("stay below the quotas of a template: 200 outputs, 500 resources, 1 MB", () => {
    for (const { name, template } of stacks) {
      expect(Object.keys(template.Outputs ?? {}).length, name).toBeLessThanOrEqual(200);
      expect(Object.keys(template.Resources).length, name).toBeLessThanOrEqual(500);
      expect(JSON.stringify(template).length, name).toBeLessThan(1_000_000);
    }
  });
});

interface Kept {
  readonly Type: string;
  readonly Properties: { readonly DeletionProtectionEnabled?: boolean };
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

describe("a protected stage", () => {
  const everything = synthesise(readStage("prod")).stacks;
  const resourcesOf = (stacks: typeof everything): Kept[] =>
    stacks.flatMap(({ template }) => Object.values<Kept>(template.Resources));

  it("keeps nothing of a deployment that fails to create it, except what other stages of the account use", () => {
    const kept = resourcesOf(everything).filter(
      ({ DeletionPolicy = "Delete" }) => DeletionPolicy !== "Delete",
    );
    const always = kept.filter(({ DeletionPolicy }) => DeletionPolicy !== "RetainExceptOnCreate");
    expect(always.map(({ Type }) => Type).toSorted()).toEqual(["AWS::ApiGateway::Account", "AWS::IAM::Role"]);
    expect(kept.length).toBeGreaterThan(always.length);
    for (const { UpdateReplacePolicy } of kept) expect(UpdateReplacePolicy).toBe("Retain");
  });

  it("protects stacks and tables, except those that are only being created", () => {
    const protectedTables = (stacks: typeof everything) =>
      new Set(
        resourcesOf(stacks)
          .filter(({ Type }) => Type === "AWS::DynamoDB::Table")
          .map(({ Properties }) => Properties.DeletionProtectionEnabled ?? false),
      );
    expect(everything.filter(({ isProtected }) => !isProtected)).toEqual([]);
    expect(protectedTables(everything)).toEqual(new Set([true]));

    const names = everything.map(({ name }) => name);
    const created = synthesise(readStage("prod"), { unprotected: names }).stacks;
    expect(created.filter(({ isProtected }) => isProtected)).toEqual([]);
    expect(protectedTables(created)).toEqual(new Set([false]));

    const retried = synthesise(readStage("prod"), { unprotected: ["parley-prod-api"] }).stacks;
    expect(retried.filter(({ isProtected }) => !isProtected).map(({ name }) => name)).toEqual([
      "parley-prod-api",
    ]);
    expect(protectedTables(retried)).toEqual(new Set([true]));
  });
});
