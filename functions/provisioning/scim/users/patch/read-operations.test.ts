import { describe, expect, it } from "vitest";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { withFields } from "#shared/provisioning/scim-rich-info.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { patchSchema } from "../../patch/schemas.ts";
import { applyEdits } from "../handlers.ts";
import type { ScimUser } from "../scim-user.ts";
import { parsePath } from "./parse-path.ts";
import { readOperations } from "./read-operations.ts";

const settings = parseSettings({ vendor: "svc" });
const mapUrn = "urn:ietf:params:scim:schemas:extension:svc:1.0:User";
const listUrn = "urn:svc:scim:schemas:profile:1.0";
const core = "urn:ietf:params:scim:schemas:core:2.0:User";
const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

const ada: ScimUser = {
  externalId: "e-1815",
  userName: "ada",
  displayName: "Ada",
  email: "ada@example.com",
  active: true,
  role: "member",
  preferredLanguage: "en",
  richInfo: {
    version: 0,
    fields: [
      { type: "Title", value: "Chief" },
      { type: "Floor", value: "2" },
    ],
  },
};

/** The user after an operation. */
const userAfter = (operation: object, user = ada): ScimUser =>
  applyEdits(user, readOperations({ schemas: [patchSchema], Operations: [operation] }, settings), settings);

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
  it("are either read or refused as an error of the caller, even random ones", () => {
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
    ["replace", "unknown", "x"],
    ["replace", "displayName.value", "x"],
    ["add", 'active[value eq "x"]', true],
    ["add", "urn:example:extension:1.0:User:a", "x"],
    ["add", `${mapUrn.replace("svc", "SVC")}:Title`, "x"],
    ["replace", undefined, { displayName: "Ada", nickname: "A", department: "Engines" }],
  ])("are refused with the attribute that cannot be changed: %s %s", (op, path, value) => {
    const displayName = { op: "Replace", path: "displayName", value: "Ada" };
    expect(
      outcomeOf({ schemas: [patchSchema], Operations: [displayName, { op, path, value }] }),
    ).toMatchObject({
      error: "scim-invalid-path",
      message: `${path ?? "department"}: cannot be changed by a PATCH`,
    });
  });

  it.each<[string, unknown]>([
    ["name", { givenName: "Ada" }],
    ["name.givenName", "Ada"],
    ["NICKNAME", "A"],
    ['phoneNumbers[type eq "mobile"].value', "+49"],
    ['addresses[type eq "work" and primary co "x"].streetAddress', "1 Engine Road"],
    [`${core}:title`, "Countess"],
    [enterprise, { department: "Engines" }],
    [`${enterprise}:department`, "Engines"],
    [`${enterprise}:manager.value`, "26118915-6090-4610-87e4-49d8ca9f808d"],
    ["urn:ietf:params:scim:schemas:extension:custom:2.0:User:badge", 7],
    ['emails[type eq "home"].value', "home@example.com"],
    ['emails[primary eq "False"].value', "home@example.com"],
    ['emails[type eq "work"].display', "Work"],
    ['roles[primary eq "False"].value', "nothing"],
    ['roles[primary eq "True"].type', "app"],
  ])("are ignored for attributes that the service does not keep: %s", (path, value) => {
    for (const operation of [
      { op: "Add", path, value },
      { op: "Replace", path, value },
      { op: "Remove", path },
      { op: "Replace", value: { [path]: value } },
    ])
      expect(userAfter(operation), operation.op).toEqual(ada);
  });

  it.each<[string, unknown, Partial<ScimUser>]>([
    ['emails[type eq "work"].value', "u@example.com", { email: "u@example.com" }],
    ['emails[type eq "work"]', { value: "u@example.com", type: "work" }, { email: "u@example.com" }],
    ['emails[primary eq true and type eq "Work"].value', "u@example.com", { email: "u@example.com" }],
    ['emails[value eq "ADA@example.com"].value', "u@example.com", { email: "u@example.com" }],
    ["emails.value", "u@example.com", { email: "u@example.com" }],
    ["emails", "u@example.com", { email: "u@example.com" }],
    [
      "emails",
      [
        { value: "home@example.com", type: "home" },
        { value: "u@example.com", primary: "True" },
      ],
      { email: "u@example.com" },
    ],
    ["emails", [{ value: "" }, { value: "u@example.com" }], { email: "u@example.com" }],
    ["preferredLanguage", "de_ch", { preferredLanguage: "de-CH" }],
    ["preferredLanguage", "fr-CA,fr;q=0.8", { preferredLanguage: "fr-CA" }],
    ['roles[primary eq "True"].value', "Admin", { role: "admin" }],
    ["roles", "Admin", { role: "admin" }],
    ["roles", [{ value: "Owner", display: "Owner", type: "app", primary: "True" }], { role: "owner" }],
    ["roles", [{ value: "member" }, { value: "admin", primary: true }], { role: "admin" }],
    ["active", "False", { active: false }],
    ["active", { value: "FALSE" }, { active: false }],
  ])("set an attribute of the user: %s to %j", (path, value, change) => {
    for (const operation of [
      { op: "aDD", path, value },
      { op: "REPLACE", path, value },
      { op: "replace", value: { [path]: value } },
      { op: "add", path: null, value: { [path]: value } },
      { op: "add", path: "", value: { [path]: value } },
    ])
      expect(userAfter(operation), JSON.stringify(operation)).toEqual({ ...ada, ...change });
  });

  it("count a character beyond the basic plane once", () => {
    const [displayName, externalId] = ["🚲".repeat(128), "𝒜".repeat(1024)];
    expect(userAfter({ op: "add", value: { displayName, externalId } })).toMatchObject({
      displayName,
      externalId,
    });
    for (const value of [{ displayName: `${displayName}a` }, { externalId: `${externalId}a` }])
      expect(() => userAfter({ op: "add", value })).toThrow("characters");
  });

  it("replace an address that the user has by name, and no other", () => {
    const set = { op: "replace", path: 'emails[value eq "else@example.com"].value', value: "u@example.com" };
    expect(() => userAfter(set)).toThrow(expect.objectContaining({ error: "scim-no-target" }));
  });

  it("add an address of another kind only to a user without any", () => {
    const add = { op: "add", path: "emails", value: [{ value: "home@example.com", type: "home" }] };
    expect(userAfter(add)).toEqual(ada);
    const { email: _, ...without } = ada;
    expect(userAfter(add, without)).toEqual({ ...without, email: "home@example.com" });
    expect(userAfter({ ...add, op: "replace" })).toEqual({ ...ada, email: "home@example.com" });
  });

  it.each<[string, Partial<Record<keyof ScimUser, unknown>>]>([
    ["displayName", { displayName: undefined }],
    ["active", { active: true }],
    ["preferredLanguage", { preferredLanguage: undefined }],
    ["roles", {}],
    ["emails", {}],
    ['emails[type eq "work"].value', {}],
    [`${mapUrn}:Title`, { richInfo: { version: 0, fields: [{ type: "Floor", value: "2" }] } }],
    [mapUrn, { richInfo: { version: 0, fields: [] } }],
  ])("remove %s in each way", (path, change) => {
    const suspended = { ...ada, active: false };
    for (const operation of [
      { op: "remove", path },
      { op: "replace", path, value: null },
      { op: "add", path, value: [] },
      { op: "replace", value: { [path]: null } },
    ])
      expect(userAfter(operation, suspended), JSON.stringify(operation)).toEqual({ ...suspended, ...change });
  });

  it.each(["displayName", "preferredLanguage"])("take an empty %s for none", (path) => {
    for (const value of ["", " "])
      expect(userAfter({ op: "replace", path, value })).toEqual({ ...ada, [path]: undefined });
    expect(userAfter({ op: "replace", path: "emails", value: [{ value: "" }] })).toEqual(ada);
    expect(userAfter({ op: "replace", path: 'emails[type eq "work"].value', value: "" })).toEqual(ada);
  });

  it("set the fields of an extension as a whole, and leave the others", () => {
    const title = { type: "title", value: "Countess" };
    const floor = { type: "Floor", value: "2" };
    for (const op of ["add", "replace"]) {
      expect(
        userAfter({ op, value: { [mapUrn]: { schemas: [mapUrn], title: "Countess", Floor: null } } }).richInfo
          .fields,
      ).toEqual([title]);
      const listed = { [listUrn]: { richInfo: { version: 0, fields: [title] } } };
      expect(userAfter({ op, value: listed }).richInfo.fields).toEqual([title, floor]);
    }
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
    ["an unknown attribute", { op: "add", path: "unknown", value: "a" }, "scim-invalid-path"],
    [
      "another attribute without a path",
      { op: "replace", value: { active: true, badge: "a" } },
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
        path: "urn:example:2.0:User:department",
        value: "a",
      },
      "scim-invalid-path",
    ],
    [
      "the URN of an extension in another case",
      { op: "replace", path: `${mapUrn.toUpperCase()}:a`, value: "a" },
      "scim-invalid-path",
    ],
    ["a field without a name", { op: "remove", path: `${mapUrn}:` }, "scim-invalid-path"],
    ["a path that is none", { op: "remove", path: "emails[" }, "scim-invalid-path"],
    ["a path that is no text", { op: "remove", path: 1 }, "scim-invalid-path"],
    ["no value", { op: "replace", path: "displayName" }, "scim-invalid-value"],
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
    ["the removal of an empty path", { op: "remove", path: "" }, "scim-no-target"],
    [
      "a filter that compares in another way",
      { op: "replace", path: 'emails[type co "work"].value', value: "a@example.com" },
      "scim-invalid-filter",
    ],
    ["what only the service sets", { op: "replace", path: "id", value: "1" }, "scim-mutability"],
    ["a version", { op: "add", path: "meta.version", value: "1" }, "scim-mutability"],
    ["groups of the user", { op: "add", path: "groups", value: [{ value: "1" }] }, "scim-mutability"],
    ["a password", { op: "replace", path: "password", value: "secret" }, "scim-invalid-value"],
    ["a password without a path", { op: "replace", value: { password: "secret" } }, "scim-invalid-value"],
    [
      "a language that is none",
      { op: "replace", path: "preferredLanguage", value: "xx" },
      "scim-invalid-value",
    ],
    ["null for the user name", { op: "replace", path: "userName", value: null }, "scim-mutability"],
    ["an empty state", { op: "replace", path: "active", value: "" }, "scim-invalid-value"],
    ["an empty user name", { op: "replace", path: "userName", value: "" }, "scim-invalid-value"],
    ["an extension that is no object", { op: "add", path: mapUrn, value: "a" }, "scim-invalid-value"],
    ["the removal of the user name", { op: "remove", path: "userName" }, "scim-mutability"],
    ["the removal of the external id", { op: "remove", path: "externalId" }, "scim-mutability"],
    ["the external id as an empty list", { op: "replace", path: "externalId", value: [] }, "scim-mutability"],
    ["an unknown operation", { op: "move", path: "userName" }, "scim-invalid-operation"],
    ["no operation", { path: "userName", value: "a" }, "scim-invalid-operation"],
    ["an operation that is not an object", "remove", "scim-invalid-operation"],
  ])("are refused for %s", (_, operation, error) => {
    const first = { op: "replace", path: "displayName", value: "Grace" };
    const body = { schemas: [patchSchema], Operations: [first, operation, first] };
    expect(outcomeOf(body)).toMatchObject({ error });
  });
});
