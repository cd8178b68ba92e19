import { describe, expect, it } from "vitest";
import { findViolations } from "./findings.ts";
import type { Import } from "./imports.ts";

describe("layers", () => {
  it.each([
    ["shared/codes/code-store.ts", "shared/platform/data/conditions.ts"],
    ["shared/accounts/account.ts", "shared/codes/code.ts"],
    ["shared/runtime/runtime.ts", "shared/sessions/tokens/jwt.ts"],
    ["functions/accounts/sessions/log-in.ts", "shared/accounts/account-store.ts"],
    ["functions/accounts/sessions/log-in.ts", "functions/accounts/sessions/deps.ts"],
    ["functions/families.ts", "functions/events/fan-out/worker.ts"],
    ["functions/teams/teams/members/routes.ts", "functions/teams/teams/members/member-cursor.ts"],
    ["functions/people/connections/connections.test.ts", "test/support/stack.ts"],
    ["lib/stacks/api-stack.ts", "functions/families.ts"],
  ])("let %s import %s", (from, to) => {
    expect(violationsOf([from, to])).toEqual([]);
  });

  it.each([
    ["shared/registry/tables.ts", "shared/platform/clock.ts", /registry/],
    ["shared/platform/log.ts", "shared/registry/settings.ts", /platform knows nothing of the product/],
    ["shared/platform/log.ts", "shared/accounts/account.ts", /platform knows nothing of the product/],
    ["shared/codes/code.ts", "shared/accounts/account.ts", /lower domains/],
    ["shared/undeclared/thing.ts", "shared/platform/clock.ts", /add it to the domains/],
    ["shared/accounts/account.ts", "functions/accounts/self/change-address.ts", /lower domains/],
    ["shared/accounts/account.ts", "lib/stage.ts", /lower domains/],
    ["functions/accounts/self/change-address.ts", "functions/accounts/sessions/log-in.ts", /another family/],
    ["functions/accounts/self/change-address.ts", "lib/stage.ts", /nor the wiring/],
    ["functions/accounts/self/change-address.ts", "functions/families.ts", /another family/],
    [
      "functions/accounts/self/routes.ts",
      "functions/accounts/self/change-address.ts",
      /rows, schemas and adapters/,
    ],
    ["functions/families.ts", "functions/accounts/self/routes.ts", /manifests only/],
    ["lib/stacks/api-stack.ts", "functions/accounts/self/family.ts", /families\.ts/],
    ["shared/accounts/account.ts", "shared/accounts/account.test.ts", /test code/],
    ["lib/local/stack.ts", "test/support/stack.ts", /test code/],
  ])("keep %s from importing %s", (from, to, advice) => {
    expect(violationsOf([from, to])).toEqual([expect.stringMatching(advice)]);
  });

  it("keep an SDK out of everything that CDK loads, however indirectly", () => {
    const found = violationsOf(
      ["functions/accounts/self/family.ts", "functions/accounts/self/routes.ts"],
      ["functions/accounts/self/routes.ts", "shared/accounts/account.ts"],
      ["shared/accounts/account.ts", "@aws-sdk/lib-dynamodb"],
    );

    expect(found).toEqual([
      expect.stringContaining("routes.ts loads shared/accounts/account.ts loads @aws-sdk/lib-dynamodb"),
    ]);
  });

  it("let what CDK loads import the types of an SDK", () => {
    const type = { ...imported("functions/accounts/self/routes.ts", "@aws-sdk/lib-dynamodb"), isType: true };

    expect(findViolations([type])).toEqual([]);
  });

  it("report a cycle of files once, with its path", () => {
    const found = violationsOf(
      ["shared/codes/a.ts", "shared/codes/b.ts"],
      ["shared/codes/b.ts", "shared/codes/c.ts"],
      ["shared/codes/c.ts", "shared/codes/a.ts"],
    );

    expect(found).toEqual([
      expect.stringContaining(
        "shared/codes/a.ts → shared/codes/b.ts → shared/codes/c.ts → shared/codes/a.ts",
      ),
    ]);
  });

  it("report a cycle of folders even if their files form none", () => {
    const found = violationsOf(
      ["lib/local/gateway/http-server.ts", "lib/local/sockets/open-sockets.ts"],
      ["lib/local/sockets/socket-gateway.ts", "lib/local/gateway/gateway.ts"],
    );

    expect(found).toEqual([expect.stringContaining("gateway → sockets → gateway")]);
  });
});

const imported = (from: string, to: string): Import => ({ from, line: 1, to, isType: false });

const violationsOf = (...pairs: [from: string, to: string][]) =>
  findViolations(pairs.map(([from, to]) => imported(from, to)));
