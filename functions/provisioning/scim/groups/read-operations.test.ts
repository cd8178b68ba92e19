import { describe, expect, it } from "vitest";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Group } from "#shared/provisioning/group.ts";
import { patchSchema } from "../patch/schemas.ts";
import { applyGroupEdits } from "./patch-group.ts";
import { readGroupOperations } from "./read-operations.ts";

const [one, two, three] = [
  "00000000-0000-4000-8000-00000000000a",
  "00000000-0000-4000-8000-00000000000b",
  "00000000-0000-4000-8000-00000000000c",
] as const;

const group = {
  displayName: "Engineering",
  externalId: "g-1",
  memberIds: [one, two],
} as unknown as Group;

const groupAfter = (...Operations: unknown[]) =>
  applyGroupEdits(group, readGroupOperations({ schemas: [patchSchema], Operations }));

/** The error of an operation. */
function errorOf(operation: unknown): string | undefined {
  try {
    groupAfter(operation);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error.error;
    throw error;
  }
}

describe("the operations of a PATCH of a group", () => {
  it.each<[string, object, readonly string[]]>([
    ["a list", { op: "Add", path: "members", value: [{ value: three, $ref: null }] }, [one, two, three]],
    ["one object", { op: "add", path: "members", value: { value: three } }, [one, two, three]],
    ["an id", { op: "add", path: "MEMBERS", value: [three.toUpperCase()] }, [one, two, three]],
    ["a member twice", { op: "add", path: "members", value: [{ value: one }, { value: one }] }, [one, two]],
    ["no path", { op: "add", value: { members: [{ VALUE: three, display: "Ada" }] } }, [one, two, three]],
    ["all", { op: "replace", path: "members", value: [{ value: three }] }, [three]],
    ["an empty path", { op: "add", path: "", value: { members: [{ value: three }] } }, [one, two, three]],
    ["all without a path", { op: "replace", value: { id: "x", members: [{ value: three }] } }, [three]],
    ["all by none", { op: "replace", path: "members", value: [] }, []],
    ["all by null", { op: "Replace", path: "members", value: null }, []],
    ["a removed list", { op: "Remove", path: "members", value: [{ $ref: null, value: one }] }, [two]],
    ["a removed path", { op: "remove", path: `members[value eq "${one}"]` }, [two]],
    ["a removed path in capitals", { op: "remove", path: `Members[VALUE EQ "${one.toUpperCase()}"]` }, [two]],
    ["a path of null", { op: "replace", path: `members[value eq "${one}"]`, value: null }, [two]],
    ["a stranger", { op: "remove", path: `members[value eq "${three}"]` }, [one, two]],
    ["no id", { op: "remove", path: 'members[value eq "x"]' }, [one, two]],
    ["removed strangers", { op: "remove", path: "members", value: [{ value: three }] }, [one, two]],
    ["nobody of a list", { op: "remove", path: "members", value: [] }, [one, two]],
    ["everybody", { op: "remove", path: "urn:ietf:params:scim:schemas:core:2.0:Group:members" }, []],
    [
      "another member",
      { op: "replace", path: `members[value eq "${one}"]`, value: { value: three } },
      [two, three],
    ],
  ])("change members: %s", (_, operation, members) => {
    expect(groupAfter(operation)).toEqual({ ...group, memberIds: members });
  });

  it.each<[object, object]>([
    [{ op: "Replace", path: "displayName", value: "Research" }, { displayName: "Research" }],
    [
      { op: "replace", value: { id: "x", schemas: [], displayName: "Research" } },
      { displayName: "Research" },
    ],
    [{ op: "add", path: "displayName", value: [{ value: "Research" }] }, { displayName: "Research" }],
    [{ op: "add", path: "externalId", value: "g-2" }, { externalId: "g-2" }],
    [{ op: "remove", path: "externalId" }, { externalId: undefined }],
    [{ op: "replace", path: "externalId", value: null }, { externalId: undefined }],
  ])("change the group: %j", (operation, change) => {
    expect(groupAfter(operation)).toEqual({ ...group, ...change });
  });

  it("count a character beyond the basic plane once", () => {
    const value = "🚲".repeat(4000);
    expect(groupAfter({ op: "replace", path: "displayName", value }).displayName).toBe(value);
    expect(errorOf({ op: "replace", path: "displayName", value: `${value}a` })).toBe("scim-invalid-value");
  });

  it("take effect in their order", () => {
    const remove = { op: "remove", path: "members" };
    const add = (value: string) => ({ op: "add", path: "members", value: [{ value }] });
    expect(
      groupAfter(add(three), remove, add(two), { op: "remove", path: `members[value eq "${three}"]` }),
    ).toEqual({
      ...group,
      memberIds: [two],
    });
  });

  it.each<[string, unknown]>([
    ["scim-invalid-path", { op: "add", path: "members.value", value: [] }],
    ["scim-invalid-path", { op: "replace", path: "unknown", value: "x" }],
    ["scim-invalid-path", { op: "replace", path: 'displayName[value eq "x"]', value: "x" }],
    ["scim-invalid-path", { op: "add", path: "urn:example:Group:members", value: [] }],
    ["scim-invalid-path", { op: "add", path: "members[", value: [] }],
    ["scim-invalid-path", { op: "add", value: { owners: [] } }],
    ["scim-invalid-filter", { op: "remove", path: 'members[display eq "Ada"]' }],
    ["scim-invalid-filter", { op: "remove", path: `members[value eq "${one}" and type eq "User"]` }],
    ["scim-invalid-filter", { op: "remove", path: 'members[value sw "0"]' }],
    ["scim-invalid-value", { op: "add", path: "members", value: [{ value: "ada" }] }],
    ["scim-invalid-value", { op: "add", path: "members", value: [{ display: "Ada" }] }],
    ["scim-invalid-value", { op: "remove", path: "members", value: "x" }],
    ["scim-invalid-value", { op: "add", path: "members" }],
    ["scim-invalid-value", { op: "replace", path: "displayName", value: "" }],
    ["scim-invalid-value", { op: "replace", path: "displayName", value: "x".repeat(4001) }],
    ["scim-invalid-value", { op: "replace", path: "displayName", value: 7 }],
    ["scim-invalid-value", { op: "replace", value: "x" }],
    ["scim-mutability", { op: "remove", path: "displayName" }],
    ["scim-mutability", { op: "replace", path: "displayName", value: null }],
    ["scim-mutability", { op: "replace", path: "id", value: "x" }],
    ["scim-no-target", { op: "remove" }],
    ["scim-no-target", { op: "remove", path: "" }],
    ["scim-no-target", { op: "replace", path: `members[value eq "${three}"]`, value: { value: one } }],
    ["scim-invalid-operation", { op: "move", path: "members" }],
    ["scim-invalid-operation", "remove"],
  ])("are refused as %s: %j", (error, operation) => {
    expect(errorOf(operation)).toBe(error);
  });

  it.each(['members[value eq "', 'members["', "members[value eq ", "value eq 1 and "])(
    "are read in linear time when a path repeats %j a hundred thousand times",
    (part) => {
      for (const path of [part.repeat(100_000), `members[${'value eq "a" and '.repeat(100_000)}]`])
        expect(["scim-invalid-path", "scim-invalid-filter"]).toContain(errorOf({ op: "remove", path }));
    },
  );
});
