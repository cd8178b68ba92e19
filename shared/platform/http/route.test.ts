import { describe, expect, it } from "vitest";
import { budgetOf, type Route } from "./route.ts";

const none = { none: "It stores nothing." };

describe("the budget of bytes that an operation costs", () => {
  it.each<[Route["auth"], Route["method"], Route["costs"], string | undefined]>([
    ["user", "POST", undefined, "changes"],
    ["user", "PUT", undefined, "changes"],
    ["user", "PATCH", undefined, "changes"],
    ["bot", "POST", undefined, "changes"],
    ["user", "POST", "uploads", "uploads"],
    ["user", "DELETE", "changes", "changes"],
    ["user", "POST", none, undefined],
    ["user", "DELETE", undefined, undefined],
    ["user", "GET", undefined, undefined],
    ["user", "HEAD", undefined, undefined],
    ["provider", "POST", undefined, undefined],
    ["scim", "POST", undefined, undefined],
    ["internal", "POST", undefined, undefined],
    ["none", "POST", undefined, undefined],
  ])("by %s with %s and costs %o is %s", (auth, method, costs, expected) => {
    expect(budgetOf({ auth, method, costs })).toBe(expected);
  });
});
