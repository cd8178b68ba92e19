import { randomUUID } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import { systemClock } from "#shared/platform/clock.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { GroupStore } from "#shared/provisioning/group-store.ts";
import { accountEditor } from "../../support/accounts.ts";
import { type Api, api } from "../../support/api.ts";
import { injectFaults } from "../../support/faults.ts";
import { ownStack, stopOwnStacks } from "../../support/own-stack.ts";
import { provisioningData } from "../../support/provisioning.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam, removeMember, type Team } from "../../support/teams.ts";
import { newUser } from "../../support/users.ts";

afterAll(stopOwnStacks);

const schemas = ["urn:ietf:params:scim:schemas:core:2.0:Group"];
const patchOp = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const provisioned = { provisioned: { managedByScim: true } };

/** A team with a directory. */
async function newDirectory(team?: Team, publicApi: Api = api, data = provisioningData()) {
  const ofTeam = team ?? (await newTeam());
  const token = await data.newToken(ofTeam.id);
  const call = (method: string, path: string, json?: unknown) =>
    publicApi(method, `/scim/v2${path}`, { token, json });
  return {
    team: ofTeam,
    call,
    create: (displayName: string, members: readonly string[] = []) =>
      call("POST", "/Groups", { schemas, displayName, members: members.map((value) => ({ value })) }),
    get: (id: string, query = "") => call("GET", `/Groups/${id}${query}`),
    put: (id: string, displayName: string, members: readonly string[] = []) =>
      call("PUT", `/Groups/${id}`, { schemas, displayName, members: members.map((value) => ({ value })) }),
    patch: (id: string, ...Operations: object[]) =>
      call("PATCH", `/Groups/${id}`, { schemas: [patchOp], Operations }),
    list: async (query: Record<string, string | number> = {}) =>
      (await call("GET", `/Groups?${new URLSearchParams(query as Record<string, string>)}`)).body,
    newMember: async () => (await ofTeam.add("member", provisioned)).id,
  };
}

/** Store groups, of members who have left the team. */
async function addGroups(
  { id: teamId }: Pick<Team, "id">,
  { count, members }: { readonly count: number; readonly members: number },
  { prefix }: { readonly prefix: string },
): Promise<void> {
  const dynamo = createDynamo();
  const groups = new GroupStore({ dynamo, config: stackConfig(prefix), clock: systemClock });
  const now = systemClock();
  const memberIds = Array.from({ length: members }, () => randomUUID());
  for (let number = 0; number < count; number++) {
    const group = { teamId, groupId: randomUUID(), displayName: `Group ${number}`, memberIds };
    await transact(dynamo, groups.create({ ...group, createdAt: now, updatedAt: now }));
  }
}

const membersOf = ({ body }: { body: { members: { value: string }[] } }) =>
  body.members.map(({ value }) => value).sort();
const namesOf = ({ Resources }: { Resources: { displayName: string }[] }) =>
  Resources.map(({ displayName }) => displayName).sort();
const notFound = { status: 404, body: { status: "404" } };

describe.concurrent("a group", () => {
  it("is created, read, replaced and deleted", async () => {
    const { create, get, put, call, newMember } = await newDirectory();
    const [one, other] = [await newMember(), await newMember()];
    const created = await create("Engineering", [one]);
    expect(created.status).toBe(201);
    const { id } = created.body;
    const location = `${sharedStack().publicUrl}/scim/v2/Groups/${id}`;
    expect(created.headers.get("location")).toBe(location);
    expect(created.body).toEqual({
      schemas,
      id,
      displayName: "Engineering",
      members: [{ value: one, type: "User", $ref: `${sharedStack().publicUrl}/scim/v2/Users/${one}` }],
      meta: {
        resourceType: "Group",
        created: expect.any(String),
        lastModified: created.body.meta.created,
        version: 'W/"1"',
        location,
      },
    });
    expect((await get(id)).body).toEqual(created.body);
    expect((await get(id.toUpperCase())).body).toEqual(created.body);

    const replaced = await put(id, "Research", [other]);
    expect(replaced.status).toBe(200);
    expect(replaced.body).toMatchObject({ id, displayName: "Research", members: [{ value: other }] });
    expect((await get(id)).body).toEqual(replaced.body);

    expect((await call("DELETE", `/Groups/${id}`)).status).toBe(204);
    for (const [method, json] of [["GET"], ["DELETE"], ["PUT", { displayName: "x" }]] as const) {
      expect(await call(method, `/Groups/${id}`, json)).toMatchObject(notFound);
    }
  });

  it("stays unchanged when replaced by an equal one", async () => {
    const { create, put, newMember } = await newDirectory();
    const members = [await newMember(), await newMember()];
    const { body } = await create("Engineering", members);
    expect((await put(body.id, "Engineering", [...members.reverse(), ...members])).body).toEqual(body);
  });

  it("accepts attributes in any case, and ignores unknown ones", async () => {
    const { call, newMember } = await newDirectory();
    const value = await newMember();
    const json = {
      DISPLAYNAME: "Engineering",
      externalId: "g-1",
      Members: [{ Value: value.toUpperCase(), TYPE: "User", $ref: "../Users/x", display: "Ada" }],
      "urn:example:extension": { a: 1 },
    };
    const { status, body } = await call("POST", "/Groups", json);
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(["schemas", "id", "externalId", "displayName", "members", "meta"]);
    expect(body.externalId).toBe("g-1");
    const replaced = await call("PUT", `/Groups/${body.id}`, {
      displayName: "Engineering",
      members: [{ value }],
    });
    expect(replaced.body).not.toHaveProperty("externalId");
    expect(membersOf({ body })).toEqual([value]);
  });

  it("shows members by their ids, whatever else the request says about them", async () => {
    const { call, newMember } = await newDirectory();
    const [one, other] = [await newMember(), await newMember()];
    const members = [
      { value: one, type: "user", $ref: "../Users/x" },
      { value: other, type: 7, $ref: [], display: null },
    ];
    const { status, body } = await call("POST", "/Groups", { schemas, displayName: "x", members });
    expect([status, membersOf({ body })]).toEqual([201, [one, other].sort()]);
    expect(body.members).toContainEqual(expect.objectContaining({ value: other, type: "User" }));
    const replaced = await call("PUT", `/Groups/${body.id}`, { displayName: "x", members: members.slice(1) });
    expect([replaced.status, membersOf(replaced)]).toEqual([200, [other]]);
  });

  it("has only provisioned members of the team", async () => {
    const { team, create, put } = await newDirectory();
    const [other, invited, stranger] = await Promise.all([newDirectory(), team.add("member"), newUser()]);
    const group = (await create("x")).body;
    const refused = { status: 400, body: { scimType: "invalidValue" } };
    for (const user of [await other.newMember(), invited.id, stranger.id]) {
      expect(await create("x", [user])).toMatchObject(refused);
      expect(await put(group.id, "x", [user])).toMatchObject(refused);
    }
    expect(await create("x", [randomUUID()])).toMatchObject(refused);
    expect(await put(group.id, "x", [randomUUID()])).toMatchObject(notFound);
  });

  it("loses a member who leaves the team", async () => {
    const { team, create, get, list } = await newDirectory();
    const [leaving, staying] = await Promise.all([
      team.add("member", provisioned),
      team.add("member", provisioned),
    ]);
    const { id } = (await create("x", [leaving.id, staying.id])).body;
    expect((await removeMember(team, team.owner, leaving)).status).toBe(202);
    expect(membersOf(await get(id))).toEqual([staying.id]);
    expect(membersOf({ body: (await list()).Resources[0] })).toEqual([staying.id]);
  });

  it("belongs to one team", async () => {
    const [one, other] = await Promise.all([newDirectory(), newDirectory()]);
    const { id } = (await one.create("x")).body;
    expect(await other.get(id)).toMatchObject(notFound);
    expect(await other.put(id, "y")).toMatchObject(notFound);
    expect(await other.patch(id, { op: "replace", path: "displayName", value: "y" })).toMatchObject(notFound);
    expect(await other.call("DELETE", `/Groups/${id}`)).toMatchObject(notFound);
    expect((await other.list()).totalResults).toBe(0);
    expect((await one.get(id)).body.displayName).toBe("x");
  });

  it("is patched: members come and go, and its name changes", async () => {
    const { create, get, patch, newMember } = await newDirectory();
    const [one, other, third] = [await newMember(), await newMember(), await newMember()];
    const { body } = await create("Engineering", [one]);
    const added = await patch(body.id, {
      op: "Add",
      path: "members",
      value: [{ value: other }, { value: third }],
    });
    expect([added.status, membersOf(added)]).toEqual([200, [one, other, third].sort()]);
    expect((await get(body.id)).body).toEqual(added.body);
    const changed = await patch(
      body.id,
      { op: "Remove", path: "members", value: [{ value: one }] },
      { op: "remove", path: `members[value eq "${other}"]` },
      { op: "replace", value: { id: body.id, displayName: "Research" } },
    );
    expect(changed).toMatchObject({
      status: 200,
      body: { displayName: "Research", members: [{ value: third }] },
    });
    expect((await get(body.id)).body).toEqual(changed.body);
    const again = await patch(body.id, { op: "add", path: "members", value: [{ value: third }] });
    expect(again.body).toEqual(changed.body);
    expect((await patch(body.id)).body).toEqual(changed.body);
  });

  it("stays as it is when one operation of a PATCH is refused", async () => {
    const { team, create, get, patch, newMember } = await newDirectory();
    const [member, added, elsewhere] = [await newMember(), await newMember(), await newDirectory()];
    const { body } = await create("x", [member]);
    const add = (value: string) => ({ op: "add", path: "members", value: [{ value }] });
    const refused: [object, string][] = [
      [add(randomUUID()), "invalidValue"],
      [add((await team.add("member")).id), "invalidValue"],
      [add(await elsewhere.newMember()), "invalidValue"],
      [add("ada"), "invalidValue"],
      [{ op: "replace", path: "owner", value: "x" }, "invalidPath"],
      [{ op: "remove", path: "displayName" }, "mutability"],
      [{ op: "remove" }, "noTarget"],
      [{ op: "copy", path: "members" }, "invalidSyntax"],
      [{ op: "remove", path: 'members[display eq "x"]' }, "invalidFilter"],
    ];
    for (const [operation, scimType] of refused)
      expect(await patch(body.id, add(added), operation), scimType).toMatchObject({
        status: 400,
        body: { scimType },
      });
    expect((await get(body.id)).body).toEqual(body);
  });

  it("loses members who have left the team when it is patched", async () => {
    const { team, create, patch, newMember } = await newDirectory();
    const [leaving, staying] = [await team.add("member", provisioned), await newMember()];
    const { body } = await create("x", [leaving.id]);
    expect((await removeMember(team, team.owner, leaving)).status).toBe(202);
    const patched = await patch(body.id, { op: "add", path: "members", value: [{ value: staying }] });
    expect([patched.status, membersOf(patched)]).toEqual([200, [staying]]);
  });

  it("keeps every member whom concurrent requests add", async () => {
    const { create, get, patch, newMember } = await newDirectory();
    const members = await Promise.all(Array.from({ length: 6 }, newMember));
    const { id } = (await create("x")).body;
    const answers = await Promise.all(
      members.map((value) => patch(id, { op: "add", path: "members", value: [{ value }] })),
    );
    expect(answers.map(({ status }) => status)).toEqual(members.map(() => 200));
    expect(membersOf(await get(id))).toEqual(members.sort());
  });

  it.each(["x", "%20", randomUUID(), "..%2FUsers"])("is not found as %s", async (id) => {
    const { get, patch } = await newDirectory();
    expect(await get(id)).toMatchObject(notFound);
    expect(await patch(id)).toMatchObject(notFound);
  });

  it("is returned without the attributes that the client excludes", async () => {
    const { create, get, list, newMember } = await newDirectory();
    const { id } = (await create("x", [await newMember()])).body;
    const without = ["schemas", "id", "displayName", "meta"];
    expect(Object.keys((await get(id, "?excludedAttributes=members")).body)).toEqual(without);
    expect(Object.keys((await get(id, `?excludedAttributes=${schemas[0]}:Members.value,id`)).body)).toEqual(
      without,
    );
    expect(Object.keys((await get(id, "?attributes=displayname")).body)).toEqual(without.slice(0, 3));
    const { Resources } = await list({ attributes: "members" });
    expect(Object.keys(Resources[0])).toEqual(["schemas", "id", "members"]);
  });

  it("has the content of one of two concurrent replacements", async () => {
    const { create, put, get } = await newDirectory();
    const { id } = (await create("x")).body;
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => put(id, `name ${index}`)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.map(({ body }) => body.displayName)).toContain((await get(id)).body.displayName);
  });

  it("is deleted once by several concurrent requests", async () => {
    const { create, call, list } = await newDirectory();
    const { id } = (await create("x")).body;
    const answers = await Promise.all([1, 2, 3, 4].map(() => call("DELETE", `/Groups/${id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404]);
    expect((await list()).totalResults).toBe(0);
  });

  it("cannot be created in a team that is being deleted", async () => {
    const { team, create } = await newDirectory();
    const json = { password: team.owner.password };
    await api("DELETE", `/teams/${team.id}`, { token: team.owner.token, json });
    // The team's token is removed with it, in the background.
    expect([401, 404]).toContain((await create("x")).status);
  });
});

describe.concurrent("the list of groups", () => {
  it("has pages that follow each other", async () => {
    const { create, list } = await newDirectory();
    for (const name of ["a", "b", "c", "d", "e"]) await create(name);
    const pages = [
      await list({ startIndex: 1, count: 2 }),
      await list({ startIndex: 3, count: 2 }),
      await list({ startIndex: 5, count: 2 }),
    ];
    expect(pages).toMatchObject([
      { totalResults: 5, itemsPerPage: 2, startIndex: 1 },
      { totalResults: 5, itemsPerPage: 2, startIndex: 3 },
      { totalResults: 5, itemsPerPage: 1, startIndex: 5 },
    ]);
    expect(pages.flatMap(namesOf).sort()).toEqual(["a", "b", "c", "d", "e"]);
    expect(await list({ startIndex: 6 })).toMatchObject({ totalResults: 5, itemsPerPage: 0, Resources: [] });
    expect(await list({ count: 0 })).toMatchObject({ totalResults: 5, Resources: [] });
    expect(await list({ count: -1 })).toMatchObject({ totalResults: 5, Resources: [] });
    expect(await list({ startIndex: -3, count: 1000 })).toMatchObject({ itemsPerPage: 5, startIndex: 1 });
  });

  it("finds groups by their names or a part of them, in any case", async () => {
    const { create, list } = await newDirectory();
    for (const name of ["Engineering", "Sales engineers", 'The "best"', "Sales"]) await create(name);
    const find = async (filter: string) => namesOf(await list({ filter }));
    expect(await find('displayName co "ENGINEER"')).toEqual(["Engineering", "Sales engineers"]);
    expect(await find(`${schemas[0]}:displayname CO "sales"`)).toEqual(["Sales", "Sales engineers"]);
    expect(await find('displayName co "\\"best\\""')).toEqual(['The "best"']);
    expect(await find('displayName co "nobody"')).toEqual([]);
    expect(await find('displayName eq "sales"')).toEqual(["Sales"]);
    expect(await find('displayName eq "engineer"')).toEqual([]);
    const decomposed = "Köln".normalize("NFD");
    await create(decomposed);
    expect(await find('displayName co "KÖL"'.normalize("NFC"))).toEqual([decomposed]);
  });

  it("is the same by POST, and at an address with a slash at its end", async () => {
    const { create, call, list } = await newDirectory();
    for (const name of ["a", "b", "ab"]) await create(name);
    const query = { filter: 'displayName co "a"', count: 1, startIndex: 2, attributes: "displayName" };
    const expected = await list(query);
    expect(expected).toMatchObject({ totalResults: 2, itemsPerPage: 1, startIndex: 2 });
    const searched = await call("POST", "/Groups/.search", { ...query, attributes: ["displayName"] });
    expect([searched.status, searched.body]).toEqual([200, expected]);
    expect((await call("POST", "/Groups/.search", {})).body.totalResults).toBe(3);
    const refused = await call("POST", "/Groups/.search", { filter: "x" });
    expect([refused.status, refused.body.scimType]).toEqual([400, "invalidFilter"]);
    const [{ id }] = expected.Resources;
    expect((await call("GET", `/Groups/${id}/`)).body).toEqual((await call("GET", `/Groups/${id}`)).body);
    expect(await list({ startIndex: 1e12, count: "9".repeat(400) })).toMatchObject({
      totalResults: 3,
      startIndex: 2 ** 31 - 1,
      Resources: [],
    });
  });

  it("refuses a filter on another attribute with invalidFilter", async () => {
    const { call } = await newDirectory();
    const { status, body } = await call(
      "GET",
      `/Groups?${new URLSearchParams({ filter: 'externalId eq "x"' })}`,
    );
    expect({ status, body }).toMatchObject({ status: 400, body: { scimType: "invalidFilter" } });
  });
});

describe.concurrent("a list of large groups", () => {
  it("ends a page after 10,000 members, unless they are left out, and reads few groups for it", async ({
    onTestFinished,
  }) => {
    const stack = await ownStack();
    const { team, list } = await newDirectory(
      await newTeam({}, stack),
      stack.publicApi,
      provisioningData(stack),
    );
    await addGroups(team, { count: 25, members: 2000 }, stack);
    let itemsRead = 0;
    const endFaults = injectFaults(({ action, body }) => {
      const isOwn = body.includes(`${stack.prefix}-provisioning`);
      if (isOwn && action === "BatchGetItem") itemsRead += body.split('"group#').length - 1;
      return undefined;
    });
    onTestFinished(endFaults);
    expect(await list()).toMatchObject({ totalResults: 25, itemsPerPage: 5 });
    expect(itemsRead).toBe(10);
    expect(await list({ startIndex: 24 })).toMatchObject({ totalResults: 25, itemsPerPage: 2 });
    const withoutMembers = await list({ excludedAttributes: "members" });
    expect(withoutMembers).toMatchObject({ totalResults: 25, itemsPerPage: 25 });
  });
});

describe.concurrent("the limits of groups", () => {
  it("apply to concurrent creations, and to members", async () => {
    const stack = await stackWith({ scim: { maxGroups: 3, maxGroupMembers: 2 } });
    const directory = await newDirectory(await newTeam({}, stack), stack.publicApi, provisioningData(stack));
    const { create, put, patch, call, list } = directory;
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => create(`group ${index}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, ...Array(7).fill(403)]);
    const { Resources } = await list();
    expect(Resources).toHaveLength(3);
    await call("DELETE", `/Groups/${Resources[0].id}`);
    expect((await create("another")).status).toBe(201);
    expect((await create("one more")).status).toBe(403);

    const members = [];
    for (let one = 0; one < 3; one++) members.push(await directory.newMember());
    const { id } = Resources[1];
    expect((await put(id, "x", members.slice(1))).status).toBe(200);
    const tooMany = { status: 400, body: { scimType: "invalidValue" } };
    expect(await put(id, "x", members)).toMatchObject(tooMany);
    const [first, second] = members.map((value) => ({ value }));
    expect(await patch(id, { op: "add", path: "members", value: [first] })).toMatchObject(tooMany);
    const exchange = [
      { op: "remove", path: "members", value: [second] },
      { op: "add", path: "members", value: [first] },
    ];
    expect((await patch(id, ...exchange)).status).toBe(200);
  });

  it("leave room for a large group", async () => {
    const { team, create, get, list } = await newDirectory();
    const editor = accountEditor();
    const users = await Promise.all(Array.from({ length: 150 }, () => team.add("member")));
    await Promise.all(users.map((user) => editor.change(user, { managedByScim: true })));
    const ids = users.map(({ id }) => id).sort();
    const { id } = (await create("everybody", ids)).body;
    expect(membersOf(await get(id))).toEqual(ids);
    expect(membersOf({ body: (await list()).Resources[0] })).toEqual(ids);
  });
});
