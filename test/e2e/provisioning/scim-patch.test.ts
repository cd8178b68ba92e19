import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { api, internalApi } from "../../support/api.ts";
import {
  type Directory,
  extensionUrn,
  newDirectory,
  newUserFields,
  profileUrn,
  type UserFields,
} from "../../support/directory.ts";
import { eventually } from "../../support/eventually.ts";
import { newEmail } from "../../support/users.ts";

const coreUrn = "urn:ietf:params:scim:schemas:core:2.0:User";
const patchUrn = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

let directory: Directory;
let bound: Directory;

beforeAll(async () => {
  [directory, bound] = await Promise.all([newDirectory(), newDirectory({ hasProvider: true })]);
});

/** A user with two fields of rich info. */
async function newScimUser(fields: object = {}, by = directory) {
  const { status, body } = await by.create(
    newUserFields({ [extensionUrn]: { Title: "Chief", Department: "Engines" }, ...fields }),
  );
  expect(status).toBe(201);
  return body;
}

const fieldsOf = (body: Record<string, { richInfo: { fields: unknown } }>) =>
  body[profileUrn]?.richInfo.fields;
const scimError = ({ status, body }: { status: number; body: { scimType?: string } }) =>
  [status, ...(body.scimType ? [body.scimType] : [])].join(" ");
const send = (json: unknown, id: string, { token } = directory) =>
  api("PATCH", `/scim/v2/Users/${id}`, { token, json });

interface UserEvent {
  readonly type: string;
  readonly user: Record<string, unknown>;
}

/** The `user.update` events of a user so far; a last one, triggered here, shows that they are complete. */
async function updatesOf({ id }: { id: string }): Promise<UserEvent["user"][]> {
  const headers = { "Z-User": id };
  await internalApi("PUT", "/self", { headers, json: { accent_id: 7 } });
  return eventually(async () => {
    const { body } = await internalApi("GET", "/notifications", { headers });
    const events: UserEvent[] = body.notifications.flatMap(
      ({ payload }: { payload: UserEvent[] }) => payload,
    );
    const updates = events.filter(({ type }) => type === "user.update").map(({ user }) => user);
    expect(updates.at(-1)).toMatchObject({ accent_id: 7 });
    return updates.slice(0, -1);
  });
}

describe.concurrent("a PATCH of a user", () => {
  it("replaces the attributes that a path may name, in any case, with or without the URN of the schema", async () => {
    const user = await newScimUser();
    const [userName, externalId] = [`u.${randomUUID()}`, newEmail()];
    const { status, body } = await directory.patch(user.id, [
      { op: "replace", path: "userName", value: userName.toUpperCase() },
      { op: "Add", path: "DISPLAYNAME", value: "Grace" },
      { op: "REPLACE", path: `${coreUrn}:externalid`, value: externalId },
      { op: "replace", path: "roles", value: ["admin"] },
      { op: "replace", path: "active", value: false },
    ]);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      userName,
      displayName: "Grace",
      externalId,
      roles: ["admin"],
      active: false,
    });
    expect((await directory.get(user.id)).body).toEqual(body);
    expect((await directory.find(`externalId eq "${externalId}"`)).body.Resources).toEqual([body]);
  });

  it("accepts what directories are known to send", async () => {
    const user = await newScimUser();
    const change = async (operation: UserFields) => (await directory.patch(user.id, [operation])).body;
    expect(await change({ op: "Replace", path: "active", value: "False" })).toMatchObject({ active: false });
    expect(await change({ op: "replace", value: { active: true } })).toMatchObject({ active: true });
    expect(await change({ op: "add", value: { Active: "false", displayName: "B" } })).toMatchObject({
      active: false,
      displayName: "B",
    });
    expect(await change({ op: "Add", path: "active", value: [{ value: true }] })).toMatchObject({
      active: true,
    });
    expect(await change({ op: "Add", path: "displayName", value: [{ value: "C" }] })).toMatchObject({
      displayName: "C",
    });
    for (const value of ["partner", ["admin"], [{ value: "partner", primary: true }], { value: "admin" }]) {
      const role = JSON.stringify(value).includes("admin") ? "admin" : "partner";
      expect(await change({ op: "add", path: "roles", value })).toMatchObject({ roles: [role] });
    }
    const lowerCase = {
      SCHEMAS: [patchUrn],
      operations: [{ OP: "replace", Path: "displayName", VALUE: "D" }],
    };
    expect((await send(lowerCase, user.id)).body).toMatchObject({ displayName: "D" });
  });

  it("returns the user unchanged when it has no operations or changes nothing", async () => {
    const user = await newScimUser({ preferredLanguage: "fr", roles: ["admin"] });
    for (const json of [
      { schemas: [patchUrn] },
      { schemas: [patchUrn], Operations: [] },
      { schemas: [patchUrn], Operations: null },
    ])
      expect((await send(json, user.id)).body).toEqual(user);
    const same = [
      { op: "replace", path: "displayName", value: user.displayName },
      { op: "add", path: `${profileUrn}:Title`, value: "Chief" },
      { op: "remove", path: `${profileUrn}:Unknown` },
    ];
    expect((await directory.patch(user.id, same)).body).toEqual(user);
  });

  it("resets attributes to their defaults, and keeps the role", async () => {
    const user = await newScimUser({ roles: ["admin"], active: false, displayName: "Grace" });
    const remove = async (path: string) => (await directory.patch(user.id, [{ op: "remove", path }])).body;
    expect(await remove("active")).toMatchObject({ active: true });
    expect(await remove("displayName")).toMatchObject({ displayName: user.externalId });
    expect(await remove("roles")).toMatchObject({ roles: ["admin"] });
  });

  it("changes address and language, and ignores what is not kept, however a directory names it", async () => {
    const user = await newScimUser({}, bound);
    const [address, next] = [newEmail(), newEmail()];
    const changed = await bound.patch(user.id, [
      { op: "Replace", path: 'emails[type eq "work"].value', value: address },
      { op: "Add", path: "name.givenName", value: "Ada" },
      {
        op: "Add",
        path: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department",
        value: "Engines",
      },
      { op: "Replace", path: "preferredLanguage", value: "de-CH" },
    ]);
    expect(changed).toMatchObject({
      status: 200,
      body: { emails: [{ value: address }], preferredLanguage: "de-CH", displayName: user.displayName },
    });
    expect((await bound.get(user.id)).body).toEqual(changed.body);
    const profile = (await internalApi("GET", `/i/users?ids=${user.id}`)).body[0];
    expect(profile).toMatchObject({ email_unvalidated: address, locale: "de-CH" });
    const again = await bound.patch(user.id, [
      {
        op: "add",
        value: { "name.familyName": "King", emails: [{ value: next, primary: true }], title: null },
      },
      { op: "replace", path: "preferredLanguage", value: null },
    ]);
    expect(again).toMatchObject({
      status: 200,
      body: { emails: [{ value: next }], preferredLanguage: "en" },
    });
  });

  it("ignores the removal of other attributes", async () => {
    const user = await newScimUser();
    for (const path of [
      "emails",
      'emails[type eq "work"]',
      'emails[type eq "a]\\"b"].value',
      "name.givenName",
      "unknown",
      'roles[value eq "member"]',
    ])
      expect((await directory.patch(user.id, [{ op: "remove", path }])).body).toEqual(user);
  });

  it.each([
    ["what it cannot change", { op: "replace", path: "unknown", value: "a" }, "400 invalidPath"],
    [
      "an address that is none",
      { op: "replace", path: 'emails[type eq "work"].value', value: "nobody" },
      "400 invalidValue",
    ],
    ["what only the service sets", { op: "replace", path: "id", value: "a" }, "400 mutability"],
    [
      "an external id that is not an address",
      { op: "replace", path: "externalId", value: "e-17" },
      "400 invalidValue",
    ],
    ["too long a field", { op: "add", path: `${profileUrn}:a`, value: "a".repeat(5000) }, "413 invalidValue"],
    ["an unknown operation", { op: "move", path: "userName" }, "400 invalidSyntax"],
  ])("refuses %s, and the whole request with it", async (_what, operation, refusal) => {
    const user = await newScimUser();
    const first = { op: "replace", path: "displayName", value: "Grace" };
    const answer = await directory.patch(user.id, [first, operation as UserFields, first]);
    expect(scimError(answer)).toBe(refusal);
    expect(answer.body).toMatchObject({
      schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
      status: expect.any(String),
    });
    expect((await directory.get(user.id)).body).toEqual(user);
  });

  it("requires the schema of a PATCH and a list of operations", async () => {
    const user = await newScimUser();
    const operation = { op: "replace", path: "displayName", value: "Grace" };
    for (const json of [
      { Operations: [operation] },
      { schemas: [patchUrn.toLowerCase()], Operations: [operation] },
      { schemas: patchUrn, Operations: [operation] },
      { schemas: [patchUrn], Operations: operation },
      { schemas: [patchUrn], Operations: "replace" },
      [operation],
      "replace",
    ])
      expect(scimError(await send(json, user.id))).toBe("400 invalidSyntax");
    expect((await directory.get(user.id)).body).toEqual(user);
  });

  it("is refused for a value that another user has, and 404 for another team's user", async () => {
    const [user, other, elsewhere] = await Promise.all([
      newScimUser(),
      newScimUser(),
      newScimUser({ displayName: "Ada" }, bound),
    ]);
    const taken = { op: "replace", path: "userName", value: other.userName };
    expect(scimError(await directory.patch(user.id, [taken]))).toBe("409 uniqueness");
    const mapped = { op: "replace", path: "externalId", value: other.externalId };
    expect(scimError(await directory.patch(user.id, [mapped]))).toBe("409 uniqueness");
    const name = { op: "replace", path: "displayName", value: "Grace" };
    for (const id of [elsewhere.id, randomUUID(), "x"])
      expect(scimError(await directory.patch(id, [name]))).toBe("404");
    expect((await bound.get(elsewhere.id)).body).toEqual(elsewhere);
  });

  it("sends an event for each change of the profile, and none for rich info", async () => {
    const user = await newScimUser({}, bound);
    const userName = `u.${randomUUID()}`;
    await bound.patch(user.id, [
      { op: "replace", path: "userName", value: userName },
      { op: "replace", path: "displayName", value: "Grace" },
      { op: "add", path: `${extensionUrn}:Title`, value: "Head" },
    ]);
    const changes = [{ handle: userName }, { name: "Grace" }];
    const expected = changes.map((change) => ({ id: user.id, ...change, sso_id_deleted: false }));
    const updates = await updatesOf(user);
    expect(updates).toHaveLength(2);
    expect(updates).toEqual(expect.arrayContaining(expected));
  });

  it("changes name and handle even where end-to-end identity fixes them for everybody else", async () => {
    const by = await newDirectory();
    const user = await newScimUser({}, by);
    const path = `/i/teams/${by.team.id}/features/mlsE2EId`;
    await internalApi("PATCH", path, { json: { status: "enabled", lockStatus: "unlocked" } });
    const userName = `u.${randomUUID()}`;
    const operations = [
      { op: "replace", path: "userName", value: userName },
      { op: "replace", path: "displayName", value: "Grace" },
    ];
    expect((await by.patch(user.id, operations)).body).toMatchObject({ userName, displayName: "Grace" });
  });

  it("is serialised with a concurrent PUT", async () => {
    const user = await newScimUser();
    const patches = ["A", "B", "C", "D"].map((name) =>
      directory.patch(user.id, [{ op: "add", path: `${extensionUrn}:${name}`, value: name }]),
    );
    const put = directory.replace(user.id, { ...user, displayName: "Grace" });
    const answers = await Promise.all([...patches, put]);
    const succeeded = answers.filter(({ status }) => status === 200);
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(succeeded.length).toBeGreaterThan(0);
    const { body } = await directory.get(user.id);
    if (answers[4]?.status === 200) expect(body.displayName).toBe("Grace");
    // The document has the changes after the PUT, and nothing else.
    for (const { type, value } of fieldsOf(body) as { type: string; value: string }[])
      expect(["Chief", "Engines", type]).toContain(value);
  });
});

describe.concurrent("a field of rich info in a PATCH", () => {
  it("is replaced in place, whatever the case of its name, or added at the end", async () => {
    const user = await newScimUser({
      [extensionUrn]: null,
      [profileUrn]: {
        richInfo: [
          { type: "title", value: "a" },
          { type: "floor", value: "b" },
        ],
      },
    });
    const { body } = await directory.patch(user.id, [
      { op: "replace", path: `${extensionUrn}:TITLE`, value: "new" },
      { op: "add", path: `${profileUrn}:Cost Center`, value: "17" },
      { op: "add", path: `${extensionUrn}:a.b[c eq "d"]`, value: [{ value: "odd" }] },
    ]);
    expect(fieldsOf(body)).toEqual([
      { type: "TITLE", value: "new" },
      { type: "floor", value: "b" },
      { type: "Cost Center", value: "17" },
      { type: 'a.b[c eq "d"]', value: "odd" },
    ]);
    expect(body[extensionUrn]).toEqual({
      TITLE: "new",
      floor: "b",
      "Cost Center": "17",
      'a.b[c eq "d"]': "odd",
    });
  });

  it("is removed by either URN, and by an empty value", async () => {
    const user = await newScimUser();
    const { body } = await directory.patch(user.id, [
      { op: "remove", path: `${profileUrn}:TITLE` },
      { op: "replace", path: `${extensionUrn}:department`, value: "" },
    ]);
    expect(fieldsOf(body)).toEqual([]);
  });

  it("may have a name that is special in JavaScript", async () => {
    const user = await newScimUser();
    const { body } = await directory.patch(user.id, [
      { op: "add", path: `${extensionUrn}:__proto__`, value: "x" },
    ]);
    expect(fieldsOf(body)).toContainEqual({ type: "__proto__", value: "x" });
    expect(({} as Record<string, unknown>).x).toBeUndefined();
    expect((await directory.get(user.id)).status).toBe(200);
  });
});

describe.concurrent("rich info of a user in a directory", () => {
  it("has the values of the object in the order of the list, and no empty ones", async () => {
    const user = await newScimUser({
      [extensionUrn]: { zone: "9", DEPARTMENT: "Sales", Title: "" },
      [profileUrn]: {
        richInfo: {
          version: 0,
          fields: [
            { type: "Title", value: "Chief" },
            { type: "Department", value: "Engines" },
            { type: "Floor", value: "2" },
          ],
        },
      },
    });
    const fields = [
      { type: "DEPARTMENT", value: "Sales" },
      { type: "Floor", value: "2" },
      { type: "zone", value: "9" },
    ];
    expect(fieldsOf(user)).toEqual(fields);
    expect(user[extensionUrn]).toEqual({ DEPARTMENT: "Sales", Floor: "2", zone: "9" });
    const { body } = await api("GET", `/users/${user.id}/rich-info`, { token: directory.team.owner.token });
    expect(body).toEqual({ version: 0, fields });
  });

  it("may have 5000 characters, and no more", async () => {
    const fits = await directory.create(newUserFields({ [extensionUrn]: { a: "x".repeat(4999) } }));
    expect(fits.status).toBe(201);
    const tooLong = await directory.create(newUserFields({ [extensionUrn]: { a: "x".repeat(5000) } }));
    expect(scimError(tooLong)).toBe("413 invalidValue");
    const { id, externalId, userName } = fits.body;
    const replaced = await directory.replace(id, {
      externalId,
      userName,
      [extensionUrn]: { a: "x".repeat(5000) },
    });
    expect(scimError(replaced)).toBe("413 invalidValue");
  });

  it("is gone after a PUT without it", async () => {
    const { id, externalId, userName } = await newScimUser();
    expect(fieldsOf((await directory.replace(id, { externalId, userName })).body)).toEqual([]);
  });
});
