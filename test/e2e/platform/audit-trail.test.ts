import { describe, expect, it } from "vitest";
import { internalApi, api as publicApi } from "../../support/api.ts";
import { createConversation } from "../../support/conversations.ts";
import { removal } from "../../support/mls.ts";
import { newMlsGroupOf, newPeople } from "../../support/mls-groups.ts";
import { newAuthorization } from "../../support/oauth.ts";
import { newUser, registeredUser } from "../../support/users.ts";

const since = new Date(Date.now() - 60_000).toISOString();

/** Records of one subject, the oldest first. */
async function recordsOf(subject: Record<string, string>): Promise<Record<string, never>[]> {
  const query = new URLSearchParams({ from: since, ...subject });
  const { status, body } = await internalApi("GET", `/i/audit?${query}`);
  expect(status).toBe(200);
  return body.records;
}

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
