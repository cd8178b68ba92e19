import { describe, expect, it } from "vitest";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { withFields } from "#shared/provisioning/scim-rich-info.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { parsePath } from "./parse-path.ts";
import { readOperations } from "./read-operations.ts";
import { patchSchema } from "./schemas.ts";

const settings = parseSettings({ vendor: "svc" });
const mapUrn = "urn:ietf:params:scim:schemas:extension:svc:1.0:User";
const core = "urn:ietf:params:scim:schemas:core:2.0:User";

/** Numbers from 0 up to 1, the same in each run (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = randomNumbers(20_261_122);
const oneOf = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
const several = <Item>(make: () => Item, most: number) =>
  Array.from({ length: Math.floor(random() * (most + 1)) }, make);

const tokens = [
  "userName",
  "ACTIVE",
  "roles",
  "emails",
  "[",
  "]",
  '"',
  "\\",
  ".",
  ":",
  " eq ",
  core,
  mapUrn,
  "\n",
  "(",
  "__proto__",
  "😀",
  "$ref",
  "-",
  "0",
];
const paths = ["displayName", "Active", "roles", "emails", `${mapUrn}:Title`, 'emails[type eq "work"].value'];
const randomPath = () => (random() < 0.5 ? oneOf(paths) : several(() => oneOf(tokens), 6).join(""));

const randomValue = (depth = 0): unknown =>
  oneOf([
    () => null,
    () => oneOf([true, false, 0, 1e308, "true", "", "admin", "x".repeat(200)]),
    () => randomPath(),
    () => (depth > 3 ? "deep" : several(() => randomValue(depth + 1), 3)),
    () =>
      depth > 3
        ? {}
        : Object.fromEntries(
            several(() => [oneOf([...tokens, "value", "active"]), randomValue(depth + 1)], 3),
          ),
  ])();

const randomOperation = () =>
  random() < 0.1
    ? randomValue()
    : {
        [oneOf(["op", "OP", "Op"])]: random() < 0.9 ? oneOf(["add", "Replace", "REMOVE"]) : randomValue(),
        ...(random() < 0.8 && { [oneOf(["path", "Path"])]: random() < 0.9 ? randomPath() : randomValue() }),
        ...(random() < 0.8 && { value: randomValue() }),
      };

/** The target of a path, or why it is refused. */
function kindOf(path: string): string {
  try {
    return parsePath(path, settings).kind;
  } catch (error) {
    return error instanceof ApiError ? error.error : String(error);
  }
}

/** The outcome for a body: the number of edits, or the error. */
function outcomeOf(body: object): number | unknown {
  try {
    return readOperations(JSON.parse(JSON.stringify(body)), settings).length;
  } catch (error) {
    return error;
  }
}

describe("the operations of a PATCH", () => {
  it("are either read or refused as the caller's fault, whatever they are", () => {
    const outcomes = Array.from({ length: 10_000 }, () =>
      outcomeOf({ schemas: [patchSchema], Operations: several(randomOperation, 2) }),
    );
    const refusals = outcomes.filter((outcome) => typeof outcome !== "number");
    expect(refusals.filter((error) => !(error instanceof ApiError && error.status === 400))).toEqual([]);
    expect(refusals.length).toBeGreaterThan(1000);
    expect(outcomes.filter((outcome) => Number(outcome) > 0).length).toBeGreaterThan(100);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it.each(['a["', "a[\\", 'a["\\"', "a[]", 'a["b"', "a.", "a[[", `${core}:`, "a\n", "urn:"])(
    "are read in linear time when a path repeats %j a hundred thousand times",
    (part) => {
      const repeated = part.repeat(100_000);
      for (const path of [repeated, `a[${repeated}`, `${repeated}]x`, `${part}${"x".repeat(100_000)}`])
        expect(["other", "scim-invalid-path"]).toContain(kindOf(path));
    },
  );

  it.each([
    ["replace", 'emails[type eq "work"].value', "u@example.com"],
    ["add", "name.familyName", "King"],
    ["add", "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department", "Engines"],
    ["remove", "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager", undefined],
    ["replace", undefined, { displayName: "Ada", nickName: "A" }],
  ])("are refused with the attribute that cannot be changed: %s %s", (op, path, value) => {
    const displayName = { op: "Replace", path: "displayName", value: "Ada" };
    expect(
      outcomeOf({ schemas: [patchSchema], Operations: [displayName, { op, path, value }] }),
    ).toMatchObject({
      error: "scim-invalid-path",
      message: `${path ?? "nickName"}: cannot be changed by a PATCH`,
    });
  });

  it("are refused with the beginning of a path that is too long to repeat", () => {
    const operation = { op: "add", path: "x".repeat(1000), value: "y" };
    expect(outcomeOf({ schemas: [patchSchema], Operations: [operation] })).toMatchObject({
      message: `${"x".repeat(200)}: cannot be changed by a PATCH`,
    });
  });

  it("can set thousands of fields", () => {
    const fields = Array.from({ length: 20_000 }, (_, index) => ({ name: `n${index % 500}`, value: "x" }));
    expect(withFields(undefined, fields, settings).fields).toHaveLength(500);
  });

  it.each<[string, unknown, string]>([
    ["emails", { op: "replace", path: "emails", value: [{ value: "a@example.com" }] }, "scim-invalid-path"],
    [
      "one of several values",
      { op: "replace", path: 'emails[type eq "work"].value', value: "a" },
      "scim-invalid-path",
    ],
    ["an unknown attribute", { op: "add", path: "unknown", value: "a" }, "scim-invalid-path"],
    ["part of a name", { op: "add", path: "name.givenName", value: "a" }, "scim-invalid-path"],
    [
      "another attribute without a path",
      { op: "replace", value: { active: true, title: "a" } },
      "scim-invalid-path",
    ],
    [
      "a prototype",
      { op: "replace", value: JSON.parse('{"__proto__":{"active":false}}') },
      "scim-invalid-path",
    ],
    [
      "a foreign schema",
      {
        op: "replace",
        path: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department",
        value: "a",
      },
      "scim-invalid-path",
    ],
    [
      "the URN of an extension in another case",
      { op: "replace", path: `${mapUrn.toUpperCase()}:a`, value: "a" },
      "scim-invalid-path",
    ],
    ["an extension as a whole", { op: "remove", path: mapUrn }, "scim-invalid-path"],
    ["a field without a name", { op: "remove", path: `${mapUrn}:` }, "scim-invalid-path"],
    ["a path that is none", { op: "remove", path: "emails[" }, "scim-invalid-path"],
    ["an empty path", { op: "remove", path: "" }, "scim-invalid-path"],
    ["a path that is no text", { op: "remove", path: 1 }, "scim-invalid-path"],
    ["no value", { op: "replace", path: "displayName" }, "scim-invalid-value"],
    ["null as the value", { op: "add", path: "displayName", value: null }, "scim-invalid-value"],
    ["no object without a path", { op: "replace", value: "a" }, "scim-invalid-value"],
    ["a handle that is none", { op: "replace", path: "userName", value: "no handle" }, "scim-invalid-value"],
    [
      "a name of 129 characters",
      { op: "replace", path: "displayName", value: "a".repeat(129) },
      "scim-invalid-value",
    ],
    ["an unknown role", { op: "replace", path: "roles", value: ["president"] }, "scim-invalid-value"],
    ["two roles", { op: "replace", path: "roles", value: ["admin", "owner"] }, "scim-invalid-value"],
    [
      "a boolean that is neither true nor false",
      { op: "replace", path: "active", value: "maybe" },
      "scim-invalid-value",
    ],
    ["a field that is no text", { op: "add", path: `${mapUrn}:Title`, value: 1 }, "scim-invalid-value"],
    ["the removal of nothing", { op: "remove" }, "scim-no-target"],
    ["the removal of the user name", { op: "remove", path: "userName" }, "scim-mutability"],
    ["the removal of the external id", { op: "remove", path: "externalId" }, "scim-invalid-value"],
    [
      "the external id as an empty list",
      { op: "replace", path: "externalId", value: [] },
      "scim-invalid-value",
    ],
    ["an unknown operation", { op: "move", path: "userName" }, "scim-invalid-operation"],
    ["no operation", { path: "userName", value: "a" }, "scim-invalid-operation"],
    ["an operation that is not an object", "remove", "scim-invalid-operation"],
  ])("are refused for %s", (_, operation, error) => {
    const first = { op: "replace", path: "displayName", value: "Grace" };
    const body = { schemas: [patchSchema], Operations: [first, operation, first] };
    expect(outcomeOf(body)).toMatchObject({ error });
  });
});
