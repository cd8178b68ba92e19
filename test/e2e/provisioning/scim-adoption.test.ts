import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { api } from "../../support/api.ts";
import { type Directory, newDirectory, newUserFields } from "../../support/directory.ts";
import { eventually } from "../../support/eventually.ts";
import { newUser, type User } from "../../support/users.ts";

let bound: Directory;
let unbound: Directory;

beforeAll(async () => {
  [bound, unbound] = await Promise.all([newDirectory({ hasProvider: true }), newDirectory()]);
});

const self = async ({ token }: User) => (await api("GET", "/self", { token })).body;
const found = ({ body }: { body: { Resources: Record<string, unknown>[] } }) => body.Resources;

/** The events that told the user of changes of their profile. */
async function updatesOf({ id, token }: Pick<User, "id" | "token">, count: number): Promise<object[]> {
  return eventually(async () => {
    const { body } = await api("GET", "/notifications", { token });
    const events = body.notifications.flatMap(({ payload }: { payload: { type: string }[] }) => payload);
    const updates = events
      .filter(({ type }: { type: string }) => type === "user.update")
      .map(({ user }: { user: { id: string } }) => user)
      .filter((user: { id: string }) => user.id === id);
    expect(updates).toHaveLength(count);
    return updates;
  });
}

describe.concurrent("a member whom no directory manages", () => {
  it("is adopted when found by its address, and can then log in through the identity provider", async () => {
    const member = await bound.team.add();
    const [user] = found(await bound.find(`externalId eq "${member.email}"`));
    expect(user).toMatchObject({
      id: member.id,
      externalId: member.email,
      userName: member.id,
      active: true,
      emails: [{ value: member.email }],
      roles: ["member"],
    });
    const profile = await self(member);
    expect(profile).toMatchObject({ managed_by: "scim", handle: member.id, email: member.email });
    expect(profile.sso_id.tenant).toContain(`>${bound.issuer}<`);
    expect(profile.sso_id.subject).toContain(`>${member.email}<`);
    expect(await updatesOf(member, 2)).toEqual([
      { id: member.id, handle: member.id, sso_id_deleted: false },
      { id: member.id, sso_id: profile.sso_id, sso_id_deleted: false },
    ]);
    expect(found(await bound.find(`externalId eq "${member.email}"`))).toEqual([user]);
    expect((await bound.get(member.id)).body).toEqual(user);
  });

  it("is adopted even if a stranger has taken its id as a handle", async () => {
    const [member, stranger] = [await bound.team.add(), await newUser()];
    const taking = await api("PUT", "/self/handle", { token: stranger.token, json: { handle: member.id } });
    expect(taking.status).toBe(200);
    const { status, body } = await bound.get(member.id);
    expect([status, body.id, body.externalId]).toEqual([200, member.id, member.email]);
    expect((await self(member)).handle).toBe(body.userName);
    expect((await self(stranger)).handle).toBe(member.id);
  });

  it("is adopted by the first PATCH, even if a stranger has taken its id as a handle", async () => {
    const [member, stranger] = [await bound.team.add(), await newUser()];
    await api("PUT", "/self/handle", { token: stranger.token, json: { handle: member.id } });
    const rename = { op: "replace", path: "displayName", value: "Ada" };
    const { status, body } = await bound.patch(member.id, [rename]);
    expect([status, body.id, body.displayName]).toEqual([200, member.id, "Ada"]);
    const asStranger = { op: "replace", path: "userName", value: member.id };
    expect((await bound.patch((await bound.team.add()).id, [asStranger])).status).toBe(409);
  });

  it("is adopted when it is read by id or found by its handle, even if it is the owner", async () => {
    const { owner } = unbound.team;
    const handle = `own.${randomUUID()}`;
    await api("PUT", "/self/handle", { token: owner.token, json: { handle } });
    const [user] = found(await unbound.find(`userName eq "${handle}"`));
    expect(user).toMatchObject({ id: owner.id, userName: handle, externalId: owner.email, roles: ["owner"] });
    expect(await self(owner)).toMatchObject({
      managed_by: "scim",
      sso_id: { scim_external_id: owner.email },
    });
    const member = await unbound.team.add();
    expect((await unbound.get(member.id)).body).toMatchObject({ id: member.id, externalId: member.email });
    expect(await self(member)).toMatchObject({ managed_by: "scim" });
  });

  it("loses its identity at the provider when a directory without one reads it", async () => {
    const subject = `s-${randomUUID()}`;
    const samlIdentity = { issuer: bound.issuer ?? "", nameId: { text: subject } };
    const member = await bound.team.add("member", { provisioned: { samlIdentity } });
    expect((await self(member)).sso_id.subject).toContain(subject);
    const sibling = await bound.sibling();
    expect((await sibling.get(member.id)).body).toMatchObject({ externalId: subject });
    expect((await self(member)).sso_id).toEqual({ scim_external_id: subject });
  });

  it("keeps its identity at the provider when a directory of that provider finds it, whatever the case", async () => {
    const subject = `S-${randomUUID()}`;
    const nameId = { text: subject, format: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent" };
    const samlIdentity = { issuer: bound.issuer ?? "", nameId };
    const member = await bound.team.add("member", { provisioned: { samlIdentity } });
    const before = (await self(member)).sso_id;
    const [user] = found(await bound.find(`externalId eq "${subject.toLowerCase()}"`));
    expect(user).toMatchObject({ id: member.id, externalId: subject.toLowerCase() });
    expect((await self(member)).sso_id).toEqual(before);
  });

  it("is adopted by one of several directories that read it concurrently, and all see the same user", async () => {
    const member = await bound.team.add();
    const answers = await Promise.all(Array.from({ length: 8 }, () => bound.get(member.id)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.meta.version)).size).toBe(1);
  });

  it("cannot complete a change of its address that it began before", async () => {
    const member = await unbound.team.add();
    const other = `new-${randomUUID()}@example.com`;
    await api("PUT", "/access/self/email", {
      token: member.token,
      cookie: member.cookie,
      json: { email: other },
    });
    expect(await self(member)).toMatchObject({ email_unvalidated: other });
    await unbound.get(member.id);
    expect(await self(member)).not.toHaveProperty("email_unvalidated");
  });
});

describe.concurrent("a search", () => {
  it("finds a user by name in any case, and nobody by a malformed one", async () => {
    const { body: user } = await unbound.create(newUserFields({ userName: `a.${randomUUID()}` }));
    for (const name of [user.userName, user.userName.toUpperCase()])
      expect(found(await unbound.find(`userName eq "${name}"`))).toEqual([user]);
    for (const name of [randomUUID().toUpperCase(), "ä", "", "a@b", "x".repeat(300)]) {
      const answer = await unbound.find(`userName eq "${name}"`);
      expect([name, answer.status, answer.body.totalResults, found(answer)]).toEqual([name, 200, 0, []]);
    }
  });

  it("finds nobody in another team", async () => {
    const { body: user } = await bound.create();
    for (const filter of [`userName eq "${user.userName}"`, `externalId eq "${user.externalId}"`]) {
      expect(found(await unbound.find(filter))).toEqual([]);
      expect(found(await bound.find(filter))).toMatchObject([{ id: user.id }]);
    }
    const person = await newUser();
    expect(found(await unbound.find(`externalId eq "${person.email}"`))).toEqual([]);
  });

  it("is the same by POST, and at an address with a slash at its end", async () => {
    const { body: user } = await bound.create();
    const filter = `userName eq "${user.userName}"`;
    const { token } = bound;
    const byQuery = (await bound.find(filter)).body;
    const json = { schemas: ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"], filter, count: 1e12 };
    const searched = await api("POST", "/scim/v2/Users/.search", { token, json });
    expect([searched.status, searched.body]).toEqual([200, byQuery]);
    const selected = await api("POST", "/scim/v2/Users/.search", {
      token,
      json: { filter, attributes: ["userName"] },
    });
    expect(selected.body.Resources).toEqual([
      { schemas: user.schemas, id: user.id, userName: user.userName },
    ]);
    const slashed = await api("GET", `/scim/v2/Users/?filter=${encodeURIComponent(filter)}`, { token });
    expect(slashed.body).toEqual(byQuery);
    expect((await api("GET", `/scim/v2/Users/${user.id}/`, { token })).body).toEqual(user);
    expect((await api("POST", "/scim/v2/Users/", { token, json: newUserFields() })).status).toBe(201);
  });

  it("needs a supported filter", async () => {
    const all = await api("GET", "/scim/v2/Users", { token: bound.token });
    expect([all.status, all.body.scimType]).toEqual([400, "tooMany"]);
    for (const filter of [
      'displayName eq "a"',
      'userName co "a"',
      'userName eq "a" and active eq true',
      "x",
    ]) {
      const { status, body } = await bound.find(filter);
      expect([filter, status, body.scimType]).toEqual([filter, 400, "invalidFilter"]);
    }
    const searched = await api("POST", "/scim/v2/Users/.search", {
      token: bound.token,
      json: { startIndex: 1 },
    });
    expect([searched.status, searched.body.scimType]).toEqual([400, "tooMany"]);
    const prefixed = await bound.find(
      'urn:ietf:params:scim:schemas:core:2.0:User:USERNAME EQ "nobody.at.all"',
    );
    expect([prefixed.status, found(prefixed)]).toEqual([200, []]);
  });
});
