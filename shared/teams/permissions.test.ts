import { describe, expect, it } from "vitest";
import { toInt64 } from "#shared/platform/int64.ts";
import { newPermissionSet, type PermissionSet, permissionsOf, roleOf } from "./permissions.ts";

describe("a role", () => {
  it.each([
    ["owner", { self: 8191, copy: 8191 }],
    ["admin", { self: 5951, copy: 5951 }],
    ["member", { self: 1587, copy: 1587 }],
    ["partner", { self: 1025, copy: 1025 }],
    ["admin", { self: 8191, copy: 5951 }],
    ["partner", { self: 8191, copy: 1025 }],
    [undefined, { self: 0, copy: 0 }],
    [undefined, { self: 8191, copy: 1024 }],
  ] satisfies [string | undefined, PermissionSet][])("is %s for %j", (role, permissions) => {
    expect(roleOf(permissions)).toBe(role);
  });
});

describe("permissions from callers", () => {
  const read = (self: unknown, copy: unknown = self) => newPermissionSet.safeParse({ self, copy }).data;

  it("are unsigned 64-bit integers, of which unknown bits are ignored", () => {
    expect(read(toInt64(2n ** 64n - 1n))).toEqual(permissionsOf("owner"));
    expect(read(8192 + 1025)).toEqual(permissionsOf("partner"));
    expect(read(toInt64(2n ** 63n))).toEqual({ self: 0, copy: 0 });
  });

  it.each([[-1], [1.5], [2 ** 64], ["1025"], [null]])("are not %s", (mask) => {
    expect(read(mask)).toBeUndefined();
  });

  it("are not 2^64", () => {
    expect(read(toInt64(2n ** 64n))).toBeUndefined();
  });

  it("grant nothing beyond themselves", () => {
    expect(read(1025, 1587)).toBeUndefined();
    expect(read(1587, 1025)).toEqual({ self: 1587, copy: 1025 });
    expect(read(1025, 8192 + 1)).toEqual({ self: 1025, copy: 1 });
  });
});
