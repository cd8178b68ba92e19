import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { api, internalApi } from "../../support/api.ts";
import {
  type Directory,
  extensionUrn,
  newDirectory,
  newUserFields,
  type UserFields,
} from "../../support/directory.ts";
import { eventually } from "../../support/eventually.ts";
import { activate, newEmail, newUser } from "../../support/users.ts";

let bound: Directory;
let unbound: Directory;
let stranger: Directory;

beforeAll(async () => {
  [bound, unbound, stranger] = await Promise.all([
    newDirectory({ hasProvider: true }),
    newDirectory(),
    newDirectory(),
  ]);
});

const profileOf = async (id: string) => (await internalApi("GET", `/i/users?ids=${id}`)).body[0];
const scimType = ({ status, body }: { status: number; body: { scimType?: string } }) =>
  `${status} ${body.scimType}`;
const as = (id: string) => ({ headers: { "Z-User": id } });

/** The events that told the user of changes of their profile. */
async function updatesOf(id: string, count: number): Promise<object[]> {
  return eventually(async () => {
    const { body } = await internalApi("GET", "/notifications", as(id));
    const events = body.notifications.flatMap(({ payload }: { payload: { type: string }[] }) => payload);
    const updates = events
      .filter(({ type }: { type: string }) => type === "user.update")
      .map(({ user }: { user: { id: string } }) => user)
      .filter((user: { id: string }) => user.id === id);
    expect(updates).toHaveLength(count);
    return updates;
  });
}

async function created(directory: Directory, fields: UserFields = newUserFields()) {
  const { status, body } = await directory.create(fields);
  expect(status).toBe(201);
  return body;
}

describe.concurrent("replacing a user", () => {
  it("by equal values changes nothing, not even the version", async () => {
    const user = await created(
      bound,
      newUserFields({ [extensionUrn]: { Title: "Chief" }, roles: ["admin"] }),
    );
    for (const fields of [user, { ...user, roles: [], emails: null, meta: {}, id: "x" }]) {
      const { status, body } = await bound.replace(user.id, fields);
      expect([status, body]).toEqual([200, user]);
    }
    expect(await updatesOf(user.id, 0)).toEqual([]);
  });

  it("changes everything together, with an event for each change of the profile", async () => {
    const user = await created(bound);
    const fields = newUserFields({
      displayName: "Bea",
      preferredLanguage: "fr",
      roles: ["partner"],
      emails: user.emails,
      [extensionUrn]: { Title: "Chief" },
    });
    const { status, body } = await bound.replace(user.id, fields);
    expect([status, body]).toMatchObject([
      200,
      {
        id: user.id,
        ...fields,
        meta: { created: user.meta.created, location: user.meta.location },
      },
    ]);
    expect(body.meta.version).not.toBe(user.meta.version);
    expect(body.meta.lastModified > user.meta.lastModified).toBe(true);
    expect((await bound.get(user.id)).body).toEqual(body);
    const { sso_id } = await profileOf(user.id);
    expect(sso_id.subject).toContain(fields.externalId);
    expect(await updatesOf(user.id, 4)).toEqual([
      { id: user.id, name: "Bea", sso_id_deleted: false },
      { id: user.id, handle: fields.userName, sso_id_deleted: false },
      { id: user.id, sso_id, sso_id_deleted: false },
      { id: user.id, locale: "fr" },
    ]);
    const old = await bound.create(newUserFields({ userName: user.userName, externalId: user.externalId }));
    expect(old.status).toBe(201);
  });

  it("resets absent name, language and rich info, and keeps role and address", async () => {
    const user = await created(
      bound,
      newUserFields({ preferredLanguage: "fr", roles: ["admin"], [extensionUrn]: { Title: "Chief" } }),
    );
    const { externalId, userName } = user;
    const { body } = await bound.replace(user.id, { externalId, userName });
    expect(body).toMatchObject({
      displayName: externalId,
      preferredLanguage: "en",
      roles: ["admin"],
      emails: user.emails,
      [extensionUrn]: {},
    });
  });

  it("suspends and resumes, with all cookies revoked", async () => {
    const member = await unbound.team.add();
    const { body: user } = await unbound.get(member.id);
    const suspended = await unbound.replace(user.id, { ...user, active: "False" });
    expect(suspended.body.active).toBe(false);
    const renewed = await api("POST", "/access", { cookie: member.cookie });
    expect(renewed.status).toBe(403);
    const login = { email: member.email, password: member.password };
    expect((await api("POST", "/login", { json: login })).body.label).toBe("suspended");
    expect((await unbound.replace(user.id, { ...user, active: null })).body.active).toBe(true);
    expect((await api("POST", "/login", { json: login })).status).toBe(200);
    expect((await api("POST", "/access", { cookie: member.cookie })).status).toBe(403);
  });

  it("keeps a user suspended whose team is suspended", async () => {
    const directory = await newDirectory();
    const user = await created(directory);
    await internalApi("POST", `/i/teams/${directory.team.id}/suspend`);
    await eventually(async () => expect((await directory.get(user.id)).body.active).toBe(false));
    expect((await directory.replace(user.id, user)).body.active).toBe(false);
  });

  it("mails a code to another address, which takes effect once the code is entered", async () => {
    const user = await created(unbound);
    await activate({ email: user.externalId });
    expect(await profileOf(user.id)).toMatchObject({ email: user.externalId });
    const email = newEmail();
    const { body } = await unbound.replace(user.id, { ...user, emails: [{ value: email }] });
    expect(body.emails).toEqual([{ value: email }]);
    expect(await profileOf(user.id)).toMatchObject({ email: user.externalId, email_unvalidated: email });
    await activate({ email });
    expect(await profileOf(user.id)).toMatchObject({ email });
    expect((await unbound.get(user.id)).body).toEqual(body);
  });

  it("uses a changed external id as the address", async () => {
    const user = await created(unbound);
    const externalId = newEmail();
    const { body } = await unbound.replace(user.id, { ...user, emails: [], externalId });
    expect(body).toMatchObject({ externalId, emails: [{ value: externalId }] });
    expect((await profileOf(user.id)).sso_id).toEqual({ scim_external_id: externalId });
  });

  it("refuses an external id that is not an address, without an identity provider", async () => {
    const user = await created(unbound);
    const fields = { ...user, emails: [], externalId: `e-${randomUUID()}` };
    expect(scimType(await unbound.replace(user.id, fields))).toBe("400 invalidValue");
  });

  it("refuses values that another user has", async () => {
    const [user, other, elsewhere] = await Promise.all([created(bound), created(bound), created(stranger)]);
    for (const fields of [
      { userName: other.userName },
      { userName: elsewhere.userName },
      { externalId: other.externalId },
    ]) {
      expect(scimType(await bound.replace(user.id, { ...user, ...fields }))).toBe("409 uniqueness");
    }
    const person = await newUser();
    const taken = await bound.replace(user.id, { ...user, emails: [{ value: person.email }] });
    expect(scimType(taken)).toBe("409 undefined");
    expect((await bound.get(user.id)).body).toEqual(user);
  });

  it("returns 404 for unknown users, users of other teams and malformed ids, but checks the body first", async () => {
    const user = await created(bound);
    for (const id of [user.id, randomUUID(), "x", `${user.id}x`]) {
      expect((await stranger.replace(id, newUserFields())).status).toBe(404);
      expect((await stranger.replace(id, {})).status).toBe(400);
      expect((await stranger.get(id)).status).toBe(404);
    }
    expect((await bound.get(user.id.toUpperCase())).body).toEqual(user);
  });

  it("always leaves a team an owner", async () => {
    const { body: owner } = await stranger.get(stranger.team.owner.id);
    const demoted = await stranger.replace(owner.id, { ...owner, roles: ["member"] });
    expect([demoted.status, demoted.body.detail]).toEqual([403, "A team must have an owner"]);
    expect((await stranger.remove(owner.id)).status).toBe(403);
    const suspended = await stranger.replace(owner.id, { ...owner, active: false });
    expect([suspended.status, suspended.body.detail]).toEqual([403, "A team must have an owner"]);
    const deactivate = { op: "replace", path: "active", value: false };
    expect((await stranger.patch(owner.id, [deactivate])).status).toBe(403);
    expect((await stranger.get(owner.id)).body).toEqual(owner);
  });

  it("can suspend an owner as long as another one is active", async () => {
    const directory = await newDirectory();
    const { owner, add } = directory.team;
    const [second] = await Promise.all([add("owner"), add("admin")]);
    const setActive = async ({ id }: { id: string }, active: boolean) =>
      (await directory.patch(id, [{ op: "replace", path: "active", value: active }])).status;
    expect(await setActive(second, false)).toBe(200);
    expect(await setActive(owner, false)).toBe(403);
    expect(await setActive(second, true)).toBe(200);
    expect(await setActive(owner, false)).toBe(200);
  });

  it("sets or removes the identity at the provider, depending on the token", async () => {
    const user = await created(bound);
    const sibling = await bound.sibling();
    await sibling.replace(user.id, user);
    expect((await profileOf(user.id)).sso_id).toEqual({ scim_external_id: user.externalId });
    await bound.replace(user.id, user);
    expect((await profileOf(user.id)).sso_id.subject).toContain(user.externalId);
  });
});

describe.concurrent("deleting a user", () => {
  it("frees handle, external id and identity, and may be repeated", async () => {
    const fields = newUserFields();
    const user = await created(bound, fields);
    expect((await bound.remove(user.id)).status).toBe(204);
    expect((await bound.remove(user.id)).status).toBe(204);
    expect((await bound.get(user.id)).status).toBe(404);
    expect((await bound.find(`externalId eq "${fields.externalId}"`)).body.Resources).toEqual([]);
    const again = await created(bound, fields);
    expect(again.id).not.toBe(user.id);
  });

  it("returns 204 without effect for users of other teams, unknown ones and malformed ids", async () => {
    const user = await created(bound);
    for (const id of [user.id, randomUUID(), "x"]) {
      expect((await stranger.remove(id)).status).toBe(204);
    }
    expect((await bound.get(user.id)).status).toBe(200);
  });

  it("requires an id", async () => {
    const answer = await api("DELETE", "/scim/v2/Users", { token: bound.token });
    expect([answer.status, answer.body.status]).toEqual([405, "405"]);
  });
});
