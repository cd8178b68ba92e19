import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, internalApi } from "../../support/api.ts";
import { provisioningData } from "../../support/provisioning.ts";
import { newTeam } from "../../support/teams.ts";

/**
 * Requests in the order and with the peculiarities of real directories: those that they try before provisioning can be
 * switched on, and those of daily operation.
 */

const scim = "application/scim+json; charset=utf-8";
const core = "urn:ietf:params:scim:schemas:core:2.0";
const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const richInfo = "urn:ietf:params:scim:schemas:extension:svc:1.0:User";
const patchOp = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const error = { schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"] };
const emptyList = {
  schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
  totalResults: 0,
  itemsPerPage: 0,
  startIndex: 1,
  Resources: [],
};

async function newDirectory() {
  const team = await newTeam();
  const { id: idpId } = await provisioningData().newProvider(team.id, { certificates: ["MIIB"] });
  const token = await provisioningData().newToken(team.id, { idpId });
  const call = async (method: string, path: string, json?: unknown) => {
    const headers: Record<string, string> = {
      accept: scim,
      ...(json !== undefined && { "content-type": scim }),
    };
    const answer = await api(method, `/scim/v2${path}`, {
      token,
      headers,
      body: json === undefined ? undefined : JSON.stringify(json),
    });
    expect(answer.headers.get("content-type") ?? scim).toMatch(/^application\/scim\+json/);
    return { status: answer.status, body: answer.body };
  };
  return {
    call,
    find: (filter: string, query = "") => call("GET", `/Users?filter=${encodeURIComponent(filter)}${query}`),
    patch: (id: string, ...Operations: object[]) =>
      call("PATCH", `/Users/${id}`, { schemas: [patchOp], Operations }),
  };
}

const newPerson = () => {
  const id = randomUUID();
  return { userName: `ada.${id.slice(0, 8)}`, email: `ada-${id}@example.com`, externalId: `00u${id}` };
};
const statusOf = async (id: string) => (await internalApi("GET", `/i/users/${id}/status`)).body.status;

describe.concurrent("a directory that tests its connection first", () => {
  it("finds that it has to filter lists of users, and that nobody has a made-up name", async () => {
    const { call, find } = await newDirectory();
    expect(await call("GET", "/ServiceProviderConfig")).toMatchObject({ status: 200 });
    expect(await call("GET", "/Users?startIndex=1&count=2")).toMatchObject({
      status: 400,
      body: { ...error, scimType: "tooMany", status: "400" },
    });
    const names = [
      randomUUID(),
      randomUUID().toUpperCase(),
      "ada@example.com",
      "Non-existent user",
      "x".repeat(300),
      "",
    ];
    for (const name of names) {
      expect(await find(`userName eq "${name}"`, "&startIndex=1&count=100"), name).toEqual({
        status: 200,
        body: emptyList,
      });
    }
    expect(await find(`externalId eq "${randomUUID()}"`)).toEqual({ status: 200, body: emptyList });
    for (const id of [randomUUID(), "010101001010101011001010101011", "%20"]) {
      expect(await call("GET", `/Users/${id}`)).toMatchObject({
        status: 404,
        body: { ...error, status: "404" },
      });
    }
    expect(await call("GET", "/Groups?startIndex=1&count=100")).toEqual({ status: 200, body: emptyList });
  });

  it("creates a user, reads it in every way, and cannot create it twice", async () => {
    const { call, find } = await newDirectory();
    const { userName, email, externalId } = newPerson();
    const user = {
      schemas: [`${core}:User`],
      userName,
      name: { givenName: "Ada", familyName: "Lovelace", middleName: "" },
      emails: [{ primary: true, value: email, type: "work" }],
      displayName: "Ada Lovelace",
      preferredLanguage: "en",
      locale: "en-US",
      externalId,
      groups: [],
      active: true,
    };
    const created = await call("POST", "/Users", user);
    expect(created).toMatchObject({
      status: 201,
      body: { userName, externalId, displayName: "Ada Lovelace", active: true, emails: [{ value: email }] },
    });
    const { id, meta } = created.body;
    expect(new URL(meta.location).pathname).toBe(`/scim/v2/Users/${id}`);
    expect((await call("GET", `/Users/${id}`)).body).toEqual(created.body);
    for (const filter of [
      `userName eq "${userName}"`,
      `userName eq "${userName.toUpperCase()}"`,
      `externalId eq "${externalId}"`,
    ]) {
      expect(await find(filter, "&startIndex=1&count=100"), filter).toMatchObject({
        status: 200,
        body: { totalResults: 1, Resources: [{ id }] },
      });
    }
    expect(await call("POST", "/Users", user)).toMatchObject({
      status: 409,
      body: { ...error, scimType: "uniqueness", status: "409" },
    });
  });

  it("cannot set a password, or create a user without a name", async () => {
    const { call } = await newDirectory();
    const { userName, email, externalId } = newPerson();
    const emails = [{ primary: true, value: email, type: "work" }];
    const user = { schemas: [`${core}:User`], userName, externalId, emails };
    for (const bad of [
      { ...user, password: "1mz050nq" },
      { ...user, userName: undefined },
    ]) {
      expect(await call("POST", "/Users", bad)).toMatchObject({ status: 400, body: error });
    }
  });

  it("replaces, suspends, resumes and removes a user", async () => {
    const { call, patch, find } = await newDirectory();
    const { userName, email, externalId } = newPerson();
    const emails = [{ primary: true, value: email, type: "work" }];
    const user = { schemas: [`${core}:User`], userName, externalId, emails, active: true };
    const { id } = (await call("POST", "/Users", user)).body;

    const replaced = await call("PUT", `/Users/${id}`, { ...user, id, displayName: "Countess", groups: [] });
    expect(replaced).toMatchObject({ status: 200, body: { id, displayName: "Countess", userName } });

    const suspended = await patch(id, { op: "replace", value: { active: false } });
    expect(suspended).toMatchObject({ status: 200, body: { id, active: false, displayName: "Countess" } });
    expect(await statusOf(id)).toBe("suspended");
    expect(await find(`userName eq "${userName}"`)).toMatchObject({
      body: { Resources: [{ active: false }] },
    });

    expect(await patch(id, { op: "replace", value: { active: true } })).toMatchObject({
      body: { active: true },
    });
    expect(await statusOf(id)).toBe("active");

    expect(await call("DELETE", `/Users/${id}`)).toEqual({ status: 204, body: "" });
    expect(await call("GET", `/Users/${id}`)).toMatchObject({ status: 404 });
    expect(await find(`userName eq "${userName}"`)).toEqual({ status: 200, body: emptyList });
    expect(await call("DELETE", `/Users/${id}`)).toEqual({ status: 204, body: "" });
  });

  it("pushes a group, and later its members", async () => {
    const { call } = await newDirectory();
    const { userName, externalId } = newPerson();
    const user = (await call("POST", "/Users", { schemas: [`${core}:User`], userName, externalId })).body;
    const group = { schemas: [`${core}:Group`], displayName: "Engineering" };
    const { status, body } = await call("POST", "/Groups", { ...group, members: [] });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { displayName: "Engineering", members: [] },
    });
    const members = [{ value: user.id, display: userName }];
    const replaced = await call("PUT", `/Groups/${body.id}`, { ...group, id: body.id, members });
    expect(replaced).toMatchObject({ status: 200, body: { members: [{ value: user.id }] } });
    expect(await call("GET", "/Groups?startIndex=1&count=100")).toMatchObject({
      status: 200,
      body: { totalResults: 1, Resources: [{ id: body.id }] },
    });
    expect(await call("DELETE", `/Groups/${body.id}`)).toMatchObject({ status: 204 });
    expect(await call("GET", `/Groups/${body.id}`)).toMatchObject({ status: 404 });
    expect(await call("GET", `/Users/${user.id}`)).toMatchObject({ status: 200 });
  });
});

describe.concurrent("a directory that speaks a dialect", () => {
  /** A user with all attributes that the directory sends, most of which are ignored here. */
  const entryOf = ({ userName, email, externalId }: ReturnType<typeof newPerson>) => ({
    schemas: [`${core}:User`, enterprise],
    externalId,
    userName,
    active: true,
    addresses: [{ primary: false, type: "work", country: "GB", locality: "London" }],
    displayName: "Ada Lovelace",
    emails: [{ primary: true, type: "work", value: email }],
    meta: { resourceType: "User" },
    name: { formatted: "Ada Lovelace", familyName: "Lovelace", givenName: "Ada" },
    phoneNumbers: [{ primary: true, type: "work", value: "+44 20 7946 0000" }],
    preferredLanguage: "en",
    roles: [],
    title: "Countess",
    [enterprise]: { department: "Mathematics", employeeNumber: "1815" },
    [richInfo]: { Department: "Mathematics" },
  });

  it("finds the user that it has created by the external id", async () => {
    const { call, find } = await newDirectory();
    const entry = entryOf(newPerson());
    const { status, body } = await call("POST", "/Users", entry);
    expect(status).toBe(201);
    expect(body).not.toHaveProperty(enterprise);
    expect(body).not.toHaveProperty("name");
    expect(body[richInfo]).toEqual({ Department: "Mathematics" });
    expect((await find(`externalId eq "${entry.externalId}"`)).body.Resources).toEqual([body]);
    expect(await call("POST", "/Users", entry)).toMatchObject({ status: 409 });
  });

  it("changes attributes by operations in mixed case, and booleans written as texts", async () => {
    const { call, patch } = await newDirectory();
    const { id } = (await call("POST", "/Users", entryOf(newPerson()))).body;
    const renamed = await patch(
      id,
      { op: "Replace", path: "displayName", value: "Ada King" },
      { op: "Add", path: `${richInfo}:Department`, value: "Engines" },
      { op: "Add", path: `${richInfo}:Title`, value: "Countess" },
    );
    expect(renamed).toMatchObject({
      status: 200,
      body: { displayName: "Ada King", [richInfo]: { Department: "Engines", Title: "Countess" } },
    });
    expect(await patch(id, { op: "Replace", path: "active", value: "False" })).toMatchObject({
      body: { active: false },
    });
    expect(await statusOf(id)).toBe("suspended");
    expect(await patch(id, { op: "Replace", path: "active", value: "True" })).toMatchObject({
      body: { active: true },
    });
    const removed = await patch(id, { op: "Remove", path: `${richInfo}:Title` });
    expect(removed.body[richInfo]).toEqual({ Department: "Engines" });
  });

  it("sees all operations of a request fail when one does", async () => {
    const { call, patch } = await newDirectory();
    const created = (await call("POST", "/Users", entryOf(newPerson()))).body;
    const answer = await patch(
      created.id,
      { op: "Replace", path: "displayName", value: "Somebody else" },
      { op: "Replace", path: "badge", value: "7" },
    );
    expect(answer).toMatchObject({ status: 400, body: { ...error, scimType: "invalidPath" } });
    expect((await call("GET", `/Users/${created.id}`)).body).toEqual(created);
  });

  it("removes a user and creates the same one again", async () => {
    const { call, patch, find } = await newDirectory();
    const entry = entryOf(newPerson());
    const { id } = (await call("POST", "/Users", entry)).body;
    await patch(id, { op: "Replace", path: "active", value: "False" });
    expect(await call("DELETE", `/Users/${id}`)).toMatchObject({ status: 204 });
    expect(await find(`externalId eq "${entry.externalId}"`)).toEqual({ status: 200, body: emptyList });
    const again = await call("POST", "/Users", entry);
    expect(again.status).toBe(201);
    expect(again.body.id).not.toBe(id);
  });

  it("requests groups without their members", async () => {
    const { call } = await newDirectory();
    const filter = (text: string) => `/Groups?excludedAttributes=members&filter=${encodeURIComponent(text)}`;
    expect(await call("GET", filter('externalId eq "Engineering"'))).toMatchObject({
      status: 400,
      body: { ...error, scimType: "invalidFilter" },
    });
    expect(await call("GET", filter('displayName eq "Engineering"'))).toEqual({
      status: 200,
      body: emptyList,
    });
    const json = { schemas: [`${core}:Group`], externalId: randomUUID(), displayName: "Engineering" };
    const { id } = (await call("POST", "/Groups", { ...json, meta: { resourceType: "Group" } })).body;
    const { body } = await call("GET", `/Groups/${id}?excludedAttributes=members`);
    expect(body).toMatchObject(json);
    expect(body).not.toHaveProperty("members");
    expect(await call("GET", filter('displayName eq "engineering"'))).toMatchObject({
      body: { totalResults: 1, Resources: [{ id }] },
    });
  });
});
