import { describe, expect, it } from "vitest";
import { internalApi, outcome, api as publicApi } from "../../support/api.ts";
import { createConversation } from "../../support/conversations.ts";
import { registerDevice } from "../../support/devices.ts";
import { removal } from "../../support/mls.ts";
import { newMlsGroupOf, newPeople } from "../../support/mls-groups.ts";
import { newAuthorization } from "../../support/oauth.ts";
import { ownStack } from "../../support/own-stack.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, registeredUser } from "../../support/users.ts";

const since = new Date(Date.now() - 60_000).toISOString();

/** Records of one subject, the oldest first. */
async function recordsOf(subject: Record<string, string>): Promise<Record<string, never>[]> {
  const query = new URLSearchParams({ from: since, ...subject });
  const { status, body } = await internalApi("GET", `/i/audit?${query}`);
  expect(status).toBe(200);
  return body.records;
}

const cursorAt = (hour: string) =>
  Buffer.from(JSON.stringify({ kind: "audit-records", hour, skip: 0 })).toString("base64url");

describe("the audit trail", () => {
  it("says who has changed what, and from where", async () => {
    const user = await registeredUser();
    await publicApi("PUT", "/self", { token: user.token, json: { name: "Grace" } });
    const records = await recordsOf({ user: user.id });
    expect(records.map(({ event }) => event)).toEqual([
      "account.registered",
      "account.activated",
      "session.started",
      "account.profile-changed",
    ]);
    expect(records[3]).toMatchObject({
      actor: { kind: "user", user: user.id },
      operation: "put-self",
      network: "127.0.0.1",
      request_id: expect.any(String),
    });
  });

  it("names the members who come or go by a commit, and has no record of other commits", async () => {
    const [ada, bob] = await newPeople(2);
    const { id } = await newMlsGroupOf(ada, bob);
    await ada.mustCommit();
    await ada.mustCommit(removal(bob.leafIndex));
    const records = await recordsOf({ user: ada.user.id });
    const commits = records.filter(({ operation }) => operation === "mls-commit-bundle");
    expect(commits).toMatchObject([
      { event: "conversation.members-committed", target: { cid: id, joined: bob.user.id } },
      { event: "conversation.members-committed", target: { cid: id, left: bob.user.id } },
    ]);
  });

  it("names the first members of a conversation, and counts the rest", async () => {
    const creator = await newUser();
    const { body } = await createConversation(creator, { name: "Alone" });
    const [record] = (await recordsOf({ user: creator.id })).slice(-1);
    expect(record).toMatchObject({
      event: "conversation.created",
      target: { cid: body.qualified_id.id, joined: creator.id },
    });
  });

  it("counts refusals of a token of another class, with the user whose token it is", async () => {
    const { user, tokens } = await newAuthorization();
    const token = tokens.access_token;
    const change = () => publicApi("PUT", "/self", { token, json: { name: "Mallory" } });
    expect(await Promise.all([change(), change()])).toMatchObject([{ status: 403 }, { status: 403 }]);
    const refused = (await recordsOf({ user: user.id })).filter(({ error }) => error !== undefined);
    expect(refused).toMatchObject([
      {
        operation: "put-self",
        error: "token-class-forbidden",
        count: 2,
        actor: { kind: "oauth", user: user.id },
        target: {},
      },
    ]);
  });

  it("has in a team's part what operators do with its members, and tells suspensions from resumptions", async () => {
    const { id: team, owner } = await newTeam();
    const client = (await registerDevice(owner)).body.id;
    const setStatus = (status: string) =>
      internalApi("PUT", `/i/users/${owner.id}/status`, { json: { status } });
    await internalApi("DELETE", `/i/users/${owner.id}/clients/${client}`);
    await setStatus("suspended");
    await setStatus("active");
    const records = await recordsOf({ team });
    expect(records.filter(({ operation }) => `${operation}`.startsWith("i-"))).toMatchObject([
      { event: "device.removed", target: { uid: owner.id, client } },
      { event: "account.status-changed", target: { uid: owner.id, status: "suspended" } },
      { event: "account.status-changed", target: { uid: owner.id, status: "active" } },
    ]);
  });

  it("finds what was done from one network", async () => {
    const { id } = await registeredUser();
    const registered = await recordsOf({ user: id });
    expect(registered).not.toEqual([]);
    expect(await recordsOf({ user: id, network: "127.0.0.1" })).toEqual(registered);
    expect(await recordsOf({ user: id, network: "::ffff:127.0.0.1" })).toEqual(registered);
    expect(await recordsOf({ user: id, network: "198.51.100.7" })).toEqual([]);
  });

  it("reads no hours one by one from before the trail began", async () => {
    const stack = await ownStack();
    await stack.internalApi("POST", "/i/oauth/clients", {
      json: { application_name: "Calendar", redirect_url: "https://app.example.com/callback" },
    });
    const query = "chain=installation&from=1970-01-01T00:00:00Z&size=500";
    const pages = [];
    for (let start = ""; start !== undefined && pages.length < 8; ) {
      const { body } = await stack.internalApi("GET", `/i/audit?${query}${start && `&start=${start}`}`);
      pages.push(body.records);
      start = body.next;
    }
    expect(pages.length).toBeLessThan(8);
    expect(pages.flat()).toMatchObject([{ event: "app.registered" }]);
  });

  it.each([
    ["a cursor with an hour that no day has", { start: cursorAt("2026-99-99T99") }],
    ["a cursor with a day that no month has", { start: cursorAt("2026-02-31T05") }],
    ["a period that begins before the year 0", { from: "0000-01-01T00:00:00+14:00" }],
    ["a period that ends after the year 9999", { to: "9999-12-31T23:59:59-14:00" }],
  ])("refuses %s", async (_, wrong) => {
    const query = new URLSearchParams({ chain: "installation", from: since, ...wrong });
    expect(outcome(await internalApi("GET", `/i/audit?${query}`))).toBe("400 bad-request");
  });

  it("counts failed logins, with the user whose password was wrong", async () => {
    const user = await newUser();
    const logIn = () =>
      publicApi("POST", "/login", { json: { email: user.email, password: "wrong password" } });
    expect(await Promise.all([logIn(), logIn()])).toMatchObject([{ status: 403 }, { status: 403 }]);
    const refused = (await recordsOf({ user: user.id })).filter(({ error }) => error !== undefined);
    expect(refused).toMatchObject([
      { operation: "login", error: "invalid-credentials", count: 2, target: { uid: user.id } },
    ]);
  });
});
