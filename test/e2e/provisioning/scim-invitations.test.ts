import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outcome } from "../../support/api.ts";
import {
  type Directory,
  extensionUrn,
  newDirectory,
  newUserFields,
  type UserFields,
} from "../../support/directory.ts";
import { eventually } from "../../support/eventually.ts";
import { invite, newInvitation } from "../../support/invitations.ts";
import { type OwnStack, stopOwnStacks } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { logIn, newEmail, newUser, somePassword } from "../../support/users.ts";

let stack: OwnStack;
let directory: Directory;
let bound: Directory;

beforeAll(async () => {
  stack = await stackWith({
    scim: { invitesUsers: true, externalIdIsEmail: false },
    setTeamInvitationTimeout: 3600,
  });
  directory = await newDirectory({}, stack);
  bound = await newDirectory({ hasProvider: true }, stack);
});
afterAll(stopOwnStacks);

const codeOf = async ({ id }: { id: string }, team = directory.team.id) => {
  const query = new URLSearchParams({ team, invitation_id: id });
  const { body } = await stack.internalApi("GET", `/i/teams/invitation-code?${query}`);
  return body.code as string | undefined;
};
const accept = (email: string, code: string | undefined, name = "Somebody") =>
  stack.publicApi("POST", "/register", {
    json: { email, name, password: somePassword, team_code: code },
  });
const profileOf = async (id: string) =>
  (await stack.internalApi("GET", `/i/users?ids=${id}&includePendingInvitations=true`)).body[0];

async function invited(fields: UserFields = newUserFields()) {
  const { status, body } = await directory.create(fields);
  expect([status, body.active]).toEqual([201, false]);
  return body;
}

describe.concurrent("a directory that invites", () => {
  it("creates an account that is completed when the invitation is accepted", async () => {
    const fields = newUserFields({ roles: ["admin"], preferredLanguage: "fr", [extensionUrn]: { A: "1" } });
    const email = String(fields.externalId);
    const user = await invited(fields);
    expect(user).toMatchObject({ roles: ["member"], emails: [{ value: email }], preferredLanguage: "fr" });
    expect((await directory.get(user.id)).body).toEqual(user);
    expect((await directory.find(`externalId eq "${email}"`)).body.Resources).toEqual([user]);
    expect((await logIn({ email, password: somePassword }, { apis: stack })).status).toBe(403);
    const listed = await stack.publicApi("GET", `/teams/${directory.team.id}/invitations/${user.id}`, {
      token: directory.team.owner.token,
    });
    expect(listed.body).toMatchObject({ id: user.id, email, role: "admin", name: "Ada" });
    expect(listed.body).not.toHaveProperty("created_by");

    const joined = await accept(email, await codeOf(user));
    expect([joined.status, joined.body]).toMatchObject([
      201,
      {
        id: user.id,
        name: "Ada",
        handle: fields.userName,
        managed_by: "scim",
        sso_id: { scim_external_id: email },
        team: directory.team.id,
        email,
        status: "active",
        locale: "fr",
      },
    ]);
    expect(joined.body).not.toHaveProperty("expires_at");
    expect((await logIn({ email, password: somePassword }, { apis: stack })).status).toBe(200);
    const { body } = await directory.get(user.id);
    expect(body).toMatchObject({ ...fields, active: true, roles: ["admin"], emails: [{ value: email }] });
  });

  it("accepts an external id that is not an address where the setting allows it, with an address", async () => {
    const externalId = `e-${randomUUID()}`;
    expect((await directory.create(newUserFields({ externalId }))).status).toBe(400);
    const email = newEmail();
    const user = await invited(newUserFields({ externalId, emails: [{ value: email }] }));
    const { body } = await accept(email, await codeOf(user));
    expect(body).toMatchObject({ id: user.id, sso_id: { scim_external_id: externalId } });
    const same = await directory.replace(user.id, { ...user, emails: [], displayName: "Bea" });
    expect(same.body).toMatchObject({ externalId, emails: [{ value: email }], displayName: "Bea" });
    const other = await directory.replace(user.id, { ...user, emails: [], externalId: "e-2" });
    expect([other.status, other.body.scimType]).toEqual([400, "invalidValue"]);
  });

  it("does not invite users of its identity provider", async () => {
    const { status, body } = await bound.create(newUserFields());
    expect([status, body.active]).toEqual([201, true]);
  });

  it("changes invitees, but neither their status nor their address", async () => {
    const user = await invited();
    const fields = { ...newUserFields({ displayName: "Bea", active: true }), emails: user.emails };
    const { body } = await directory.replace(user.id, fields);
    expect(body).toMatchObject({ ...fields, active: false });
    const moved = await directory.replace(user.id, { ...fields, emails: [{ value: newEmail() }] });
    expect([moved.status, outcome(moved)]).toEqual([403, "403 scim-error"]);
    const joined = await accept(String(user.externalId), await codeOf(user));
    expect(joined.body).toMatchObject({ id: user.id, name: "Bea", handle: body.userName });
  });

  it("drops an invitee whose invitation has expired, so that the same user can be created again", async () => {
    const own = await stackWith({ scim: { invitesUsers: true }, setTeamInvitationTimeout: 600 });
    const hasty = await newDirectory({}, own);
    const fields = newUserFields();
    const { body: user } = await hasty.create(fields);
    expect((await hasty.create(fields)).status).toBe(409);
    own.advance(601);
    expect((await hasty.get(user.id)).status).toBe(404);
    expect((await hasty.find(`externalId eq "${fields.externalId}"`)).body.Resources).toEqual([]);
    const again = await hasty.create(fields);
    expect([again.status, again.body.id === user.id]).toEqual([201, false]);
    own.advance(601);
    const elsewhere = await newDirectory({}, own);
    expect((await elsewhere.create(fields)).status).toBe(201);
  });

  it("replaces other invitations to an address, and prevents further ones", async () => {
    const fields = newUserFields();
    const email = String(fields.externalId);
    const before = await newInvitation(directory.team, { email }, stack);
    const user = await invited(fields);
    expect(outcome(await accept(email, before.code))).toBe("400 invalid-invitation-code");
    expect(outcome(await invite(directory.team, { email }, { apis: stack }))).toBe("409 email-exists");
    const twice = await directory.create(newUserFields({ emails: [{ value: email }] }));
    expect([twice.status, twice.body.scimType]).toEqual([409, "uniqueness"]);
    expect((await accept(email, await codeOf(user))).status).toBe(201);
  });

  it("refuses addresses of accounts", async () => {
    const person = await newUser({}, stack);
    const answer = await directory.create(newUserFields({ externalId: person.email }));
    expect([answer.status, outcome(answer)]).toEqual([409, "409 scim-error"]);
  });

  it("removes the invitation with the user", async () => {
    const fields = newUserFields();
    const user = await invited(fields);
    const code = await codeOf(user);
    expect((await directory.remove(user.id)).status).toBe(204);
    expect((await directory.get(user.id)).status).toBe(404);
    expect(outcome(await accept(String(fields.externalId), code))).toBe("400 invalid-invitation-code");
    expect((await invited(fields)).id).not.toBe(user.id);
  });

  it("lets either the deletion or the acceptance win", async () => {
    const fields = newUserFields();
    const user = await invited(fields);
    const code = await codeOf(user);
    const [removed, joined] = await Promise.all([
      directory.remove(user.id),
      accept(String(fields.externalId), code),
    ]);
    expect(removed.status).toBe(204);
    expect([201, 400]).toContain(joined.status);
    expect((await directory.get(user.id)).status).toBe(404);
    expect((await directory.create(fields)).status).toBe(201);
  });

  it("leaves no invitee behind when its team is deleted", async () => {
    const doomed = await newDirectory({}, stack);
    const { body: user } = await doomed.create();
    const { owner, id } = doomed.team;
    await stack.publicApi("DELETE", `/teams/${id}`, {
      token: owner.token,
      json: { password: owner.password },
    });
    await eventually(async () => {
      expect(await profileOf(user.id)).toMatchObject({ status: "deleted" });
    });
    expect((await directory.create(newUserFields({ userName: user.userName }))).status).toBe(201);
  });
});
