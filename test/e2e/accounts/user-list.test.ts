import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { importUsers } from "#lib/import/import-users.ts";
import { readJsonLines } from "#lib/import/user-line.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { internalApi } from "../../support/api.ts";
import { newDirectory, newUserFields } from "../../support/directory.ts";
import { eventually } from "../../support/eventually.ts";
import { knownTo } from "../../support/identity-providers.ts";
import { newInvitation } from "../../support/invitations.ts";
import { type OwnStack, ownStack } from "../../support/own-stack.ts";
import { pagesOf } from "../../support/pages.ts";
import { logInBySaml, newIdentityProvider, registerIdentityProvider } from "../../support/saml.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { newTeam } from "../../support/teams.ts";
import { newEmail, newUser, register, registeredUser, somePassword } from "../../support/users.ts";

interface ListedUser {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly created_at: string;
}

const usersOf = (stack: Pick<OwnStack, "internalApi">, query: Record<string, string | number> = {}) =>
  pagesOf<ListedUser>(stack, "/i/users/list", "users", query);
const idsOf = async (stack: OwnStack, query?: Record<string, string | number>) =>
  (await usersOf(stack, query)).entries.map(({ id }) => id);

/** Import users who are called by their numbers. */
async function importNumbered({ prefix, data }: OwnStack, count: number): Promise<string[]> {
  async function* lines() {
    for (let number = 0; number < count; number++)
      yield Buffer.from(
        `${JSON.stringify({ name: `User ${number}`, email: newEmail(), email_verified: true })}\n`,
      );
  }
  const ids: string[] = [];
  const options = {
    users: readJsonLines(lines()),
    settings: parseSettings(data?.settings ?? {}),
    tableName: stackConfig(prefix).tableName,
    isDryRun: false,
  };
  for await (const { userId = "" } of importUsers(options)) ids.push(userId);
  return ids;
}

describe.concurrent("GET /i/users/list", () => {
  it("lists users however they were created, with what has become of them", async () => {
    const stack = await ownStack({ scim: { invitesUsers: true, externalIdIsEmail: false } });
    const registered = await registeredUser({ name: "Registered" }, stack);
    const guest = await register({ name: "Guest" }, stack);
    const team = await newTeam({ name: "Engines" }, stack);
    const invitation = await newInvitation(team, {}, stack);
    const invited = await register(
      { name: "Invited", email: invitation.email, team_code: invitation.code, password: somePassword },
      stack,
    );
    const directory = await newDirectory({ hasProvider: true }, stack);
    const provisioned = await directory.create(newUserFields({ displayName: "Provisioned" }));
    const inviting = await newDirectory({}, stack);
    const invitee = await inviting.create(newUserFields({ displayName: "Invitee" }));
    const provider = await newIdentityProvider();
    const samlTeam = await newTeam({}, stack);
    const atProvider = await registerIdentityProvider(provider, samlTeam.id, {}, stack);
    await logInBySaml(atProvider, provider, { nameId: { text: "saml-user" } }, stack);
    const [imported] = await importNumbered(stack, 1);

    const expected = [
      [registered.id, "active"],
      [guest.body.id, "ephemeral"],
      [team.owner.id, "active"],
      [invited.body.id, "active"],
      [directory.team.owner.id, "active"],
      [provisioned.body.id, "active"],
      [inviting.team.owner.id, "active"],
      [invitee.body.id, "pending-invitation"],
      [samlTeam.owner.id, "active"],
      [expect.any(String), "active"],
      [imported, "active"],
    ].map(([id, status]) => expect.objectContaining({ id, status }));
    const { entries, longest } = await usersOf(stack, { size: 3 });
    expect(entries.toReversed()).toEqual(expected);
    expect(longest).toBe(3);
    const [shown] = (await usersOf(stack)).entries.filter(({ id }) => id === invited.body.id);
    expect(shown).toEqual({
      id: invited.body.id,
      name: "Invited",
      status: "active",
      email: invitation.email,
      team: team.id,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });

    await stack.internalApi("PUT", `/i/users/${registered.id}/status`, { json: { status: "suspended" } });
    const [first] = (await usersOf(stack)).entries.slice(-1);
    expect(first).toMatchObject({ id: registered.id, status: "suspended" });
  });

  it("lists neither bots nor deleted users, and lists an expired guest once more, as deleted", async () => {
    const stack = await ownStack({}, { isClockStopped: true });
    const kept = await newUser({}, stack);
    const deleted = await newUser({}, stack);
    await newUser({ provisioned: { service: { id: randomUUID(), provider: randomUUID() } } }, stack);
    await stack.internalApi("DELETE", `/i/users/${deleted.id}`);
    expect(await idsOf(stack)).toEqual([kept.id]);

    stack.advance(1);
    const guest = await register({ expires_in: 60 }, stack);
    stack.advance(61);
    expect((await usersOf(stack)).entries).toMatchObject([
      { id: guest.body.id, status: "deleted" },
      { id: kept.id, status: "active" },
    ]);
    await eventually(async () => expect(await idsOf(stack)).toEqual([kept.id]));
  });

  it("lists each user once when several were created at the same moment, even in pages of one", async () => {
    const stack = await ownStack({}, { isClockStopped: true });
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await newUser({}, stack)).id));
    const descending = ids.toSorted().reverse();
    expect(await idsOf(stack)).toEqual(descending);
    expect(await idsOf(stack, { size: 1 })).toEqual(descending);
    expect(await idsOf(stack, { size: 20 })).toEqual(descending);
  });

  it("lists the users of a period, and nothing for an empty period", async () => {
    const stack = await ownStack({}, { isClockStopped: true });
    const ids: string[] = [];
    const times: string[] = [];
    for (let number = 0; number < 4; number++) {
      times.push(new Date(stack.clock()).toISOString());
      ids.push((await newUser({}, stack)).id);
      stack.advance(60);
    }
    const [, second = "", third = "", fourth = ""] = times;
    const named = (...numbers: number[]) => numbers.map((number) => ids[number]);
    expect(await idsOf(stack, { size: 1, from: third })).toEqual(named(3, 2));
    expect(await idsOf(stack, { size: 1, to: third })).toEqual(named(1, 0));
    expect(await idsOf(stack, { size: 1, from: second, to: fourth })).toEqual(named(2, 1));
    const elsewhere = second.replace("Z", "+00:00");
    expect(await idsOf(stack, { from: elsewhere, to: third })).toEqual(named(1));
    expect(await idsOf(stack, { from: third, to: second })).toEqual([]);
    expect(await idsOf(stack, { to: "1970-01-01T00:00:00Z" })).toEqual([]);
  });

  it("lists users completely, page by page, while others register", async () => {
    const stack = await ownStack();
    const imported = await importNumbered(stack, 200);
    let isDone = false;
    const others: string[] = [];
    const registering = (async () => {
      while (!isDone) others.push((await register({ name: "Guest" }, stack)).body.id);
    })();
    await eventually(async () => expect(others.length).toBeGreaterThan(2));
    const { entries, longest } = await usersOf(stack, { size: 9 });
    isDone = true;
    await registering;

    expect(longest).toBe(9);
    const ids = entries.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const rest = ids.filter((id) => !imported.includes(id));
    expect(ids.filter((id) => imported.includes(id)).toSorted()).toEqual(imported.toSorted());
    expect(others).toEqual(expect.arrayContaining(rest));
    const times = entries.map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted().reverse());
  });
});

describe.concurrent("GET /i/users/by-identity", () => {
  const find = async (query: Record<string, string>) => {
    const { status, body } = await internalApi("GET", `/i/users/by-identity?${new URLSearchParams(query)}`);
    return status === 200 ? body.map(({ id }: { id: string }) => id) : `${status} ${body.label}`;
  };

  it("finds a user by issuer and NameID, whose case does not matter", async () => {
    const issuer = `https://idp-${randomUUID()}.example.com`;
    const { id } = await newUser(knownTo(issuer, "Ada.L"));
    expect(await find({ issuer, name_id: "ada.l" })).toEqual([id]);
    expect(await find({ issuer, name_id: "ada" })).toEqual([]);
    expect(await find({ issuer: `${issuer}/`, name_id: "ada.l" })).toEqual([]);
  });

  it("distinguishes teams whose identity providers have the same issuer", async () => {
    const issuer = `https://idp-${randomUUID()}.example.com`;
    const teams = [await newTeam(), await newTeam()];
    const members = await Promise.all(
      teams.map(({ add, id: teamId }) =>
        add("member", { provisioned: { samlIdentity: { issuer, nameId: { text: "ada" }, teamId } } }),
      ),
    );
    const of = (team: string) => find({ issuer, name_id: "ada", team });
    expect(await Promise.all(teams.map(({ id }) => of(id)))).toEqual(members.map(({ id }) => [id]));
    expect(await of(randomUUID())).toEqual([]);
    expect(await find({ issuer, name_id: "ada" })).toEqual([]);
  });

  it("finds a member by an identity of the whole installation only in their own team", async () => {
    const issuer = `https://idp-${randomUUID()}.example.com`;
    const [team, other] = [await newTeam(), await newTeam()];
    const { id } = await team.add("member", knownTo(issuer, "ada"));
    expect(await find({ issuer, name_id: "ada", team: team.id })).toEqual([id]);
    expect(await find({ issuer, name_id: "ada", team: other.id })).toEqual([]);
  });

  it("finds users whom a directory has created or invited, by their external id", async () => {
    for (const hasProvider of [true, false]) {
      const directory = await newDirectory({ hasProvider });
      const externalId = newEmail();
      const { body } = await directory.create(newUserFields({ externalId }));
      expect(await find({ external_id: externalId, team: directory.team.id })).toEqual([body.id]);
      expect(await find({ external_id: externalId.toUpperCase(), team: directory.team.id })).toEqual([]);
      expect(await find({ external_id: externalId, team: randomUUID() })).toEqual([]);
    }
  });
});
