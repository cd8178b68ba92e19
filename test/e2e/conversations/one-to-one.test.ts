import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api } from "../../support/api.ts";
import { connectUsers, localDomain, requestConnection, updateConnection } from "../../support/connections.ts";
import { conversationData, qualified } from "../../support/conversations.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam, type Team } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

const { store } = conversationData();
const refusal = (status: number, label: string) => ({ status, body: { code: status, label } });

async function newPair(): Promise<[User, User]> {
  const [one, other] = await Promise.all([newUser(), newUser()]);
  await connectUsers(one, other);
  return [one, other];
}

const create = (
  { token }: Pick<User, "token">,
  users: readonly { id: string }[],
  { team, version = 9, ...fields }: { team?: Pick<Team, "id">; version?: number; name?: string } = {},
) =>
  api("POST", `/v${version}/${version < 7 ? "conversations/one2one" : "one2one-conversations"}`, {
    token,
    json: { qualified_users: qualified(...users), ...(team && { team: { teamid: team.id } }), ...fields },
  });

describe.concurrent("POST /one2one-conversations", () => {
  it("finds the conversation of connected users, from either side", async () => {
    const [ada, bob] = await newPair();
    const [first, again] = [await create(ada, [bob]), await create(bob, [ada])];
    expect(again).toMatchObject({ status: 200, body: { id: first.body.id } });
    expect(first.headers.get("location")).toBe(first.body.id);
    expect(first.body).toMatchObject({
      type: 2,
      access: ["private"],
      access_role: [],
      group_conv_type: null,
      protocol: "proteus",
      members: {
        self: { id: ada.id, conversation_role: "svc_admin" },
        others: [{ id: bob.id, conversation_role: "svc_admin" }],
      },
    });
  });

  it("creates the conversation of a connection that is older than conversations", async () => {
    const [ada, bob] = await newPair();
    const { body } = await create(ada, [bob]);
    await store.eraseRows({ conversationId: body.id });
    expect(await create(bob, [ada])).toMatchObject({ status: 201, body: { id: body.id, creator: bob.id } });
    expect(await create(ada, [bob])).toMatchObject({ status: 200, body: { id: body.id } });
  });

  it("creates the conversation of two members of a team once, and tells both", async () => {
    const team = await newTeam();
    const mate = await team.add();
    const first = await create(team.owner, [mate], { team, name: "Us" });
    expect(first).toMatchObject({ status: 201, body: { type: 2, team: team.id, name: "Us" } });
    expect(await create(mate, [team.owner], { team })).toMatchObject({
      status: 200,
      body: { id: first.body.id },
    });
    for (const { id, token } of [team.owner, mate]) {
      await eventually(async () => {
        expect(await storedEvents(token, "conversation.create")).toMatchObject([
          { conversation: first.body.id, data: { type: 2, members: { self: { id } } } },
        ]);
      });
    }
  });

  it("creates the conversation of team mates even if no team is named", async () => {
    const team = await newTeam();
    const mate = await team.add();
    expect(await create(mate, [team.owner])).toMatchObject({ status: 201, body: { team: null } });
  });

  it("creates it once when both request it concurrently", async () => {
    const team = await newTeam();
    const mate = await team.add();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, number) =>
        number % 2 === 0 ? create(team.owner, [mate]) : create(mate, [team.owner]),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(9).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    await eventually(async () => {
      expect(await storedEvents(mate.token, "conversation.create")).toHaveLength(1);
    });
  });

  it("brings back a team mate who has blocked the other one", async () => {
    const team = await newTeam();
    const mate = await team.add();
    const { body } = await create(team.owner, [mate]);
    const found = await store.getPopulated(body.id);
    if (found === undefined) throw new Error("The conversation is not there");
    const { writes } = store.change(found.conversation, {
      fields: { type: "connection" },
      leaving: [{ conversationId: body.id, userId: mate.id }],
    });
    await conversationData().write(writes);
    expect(await create(team.owner, [mate])).toMatchObject({
      status: 200,
      body: { id: body.id, type: 2, members: { others: [{ id: mate.id }] } },
    });
    await eventually(async () => {
      expect(await storedEvents(mate.token, "conversation.member-join")).toMatchObject([
        { conversation: body.id, data: { user_ids: [mate.id] } },
      ]);
    });
  });

  it("refuses users who are not connected", async () => {
    const [ada, bob] = await Promise.all([newUser(), newUser()]);
    const refused = refusal(403, "not-connected");
    expect(await create(ada, [bob])).toMatchObject(refused);
    expect(await create(ada, [{ id: randomUUID() }])).toMatchObject(refused);
    await requestConnection(ada, bob);
    expect(await create(ada, [bob])).toMatchObject(refused);
    await updateConnection(bob, ada, "accepted");
    expect(await create(ada, [bob])).toMatchObject({ status: expect.toBeOneOf([200, 201]) });
    await updateConnection(bob, ada, "blocked");
    expect(await create(ada, [bob])).toMatchObject(refused);
    expect(await create(bob, [ada])).toMatchObject(refused);
    const remote = { qualified_users: [{ domain: "other.example.org", id: bob.id }] };
    expect(await api("POST", "/v9/one2one-conversations", { token: ada.token, json: remote })).toMatchObject(
      refused,
    );
  });

  it("requires exactly one other user", async () => {
    const [ada, bob] = await newPair();
    expect(await create(ada, [])).toMatchObject(refusal(400, "client-error"));
    expect(await create(ada, [bob, { id: randomUUID() }])).toMatchObject(refusal(400, "client-error"));
    expect(await create(ada, [ada])).toMatchObject(refusal(403, "invalid-op"));
    const json = { users: [bob.id], qualified_users: qualified(bob) };
    expect(await api("POST", "/v9/one2one-conversations", { token: ada.token, json })).toMatchObject({
      status: expect.toBeOneOf([200, 201]),
    });
  });

  it("checks rights in the team before the other user", async () => {
    const [team, other] = await Promise.all([newTeam(), newTeam()]);
    const [mate, partner] = await Promise.all([team.add(), team.add("partner")]);
    expect(await create(other.owner, [mate], { team })).toMatchObject(refusal(403, "no-team-member"));
    expect(await create(mate, [team.owner], { team: { id: randomUUID() } })).toMatchObject(
      refusal(403, "no-team-member"),
    );
    expect(await create(mate, [other.owner], { team })).toMatchObject(
      refusal(403, "non-binding-team-members"),
    );
    expect(await create(partner, [mate], { team })).toMatchObject({ status: 201 });
  });

  it("shows it in the form of each version", async () => {
    const [ada, bob] = await newPair();
    expect(await create(ada, [bob], { version: 2 })).toMatchObject({
      body: { access_role: "private", access_role_v2: [] },
    });
    expect(await create(ada, [bob], { version: 6 })).toMatchObject({ body: { access_role: [] } });
    const paths = ["/v6/one2one-conversations", "/v7/conversations/one2one"];
    const lost = await Promise.all(
      paths.map((path) => api("POST", path, { token: ada.token, json: { users: [bob.id] } })),
    );
    expect(lost.every(({ status }) => status >= 400)).toBe(true);
  });
});

describe.concurrent("GET /one2one-conversations/{usr_domain}/{usr}", () => {
  const get = (
    { token }: Pick<User, "token">,
    { id }: { id: string },
    { version = 9, query = "", domain = localDomain } = {},
  ) =>
    api(
      "GET",
      `/v${version}/${version < 7 ? "conversations/one2one" : "one2one-conversations"}/${domain}/${id}${query}`,
      { token },
    );

  it("shows the same group to both users, each alone in it", async () => {
    const [ada, bob] = await newPair();
    const [ofAda, ofBob, again] = [await get(ada, bob), await get(bob, ada), await get(ada, bob)];
    expect(again.body).toEqual(ofAda.body);
    const { conversation } = ofAda.body;
    expect(ofAda).toMatchObject({
      status: 200,
      body: {
        conversation: {
          type: 2,
          protocol: "mls",
          epoch: 0,
          access: ["private"],
          members: { self: { id: ada.id, conversation_role: "svc_member" }, others: [] },
        },
        public_keys: { removal: { ed25519: expect.any(String) } },
      },
    });
    const { id, group_id } = ofBob.body.conversation;
    expect({ id, group_id }).toEqual({ id: conversation.id, group_id: conversation.group_id });
    expect((await create(ada, [bob])).body.id).not.toBe(id);
    expect(await store.get(id)).toBeUndefined();
  });

  it("writes the keys in the requested format", async () => {
    const [ada, bob] = await newPair();
    const { body } = await get(ada, bob, { query: "?format=jwk" });
    expect(body.public_keys.removal.ed25519).toMatchObject({ kty: "OKP", crv: "Ed25519" });
    const { body: keys } = await api("GET", "/v9/mls/public-keys", { token: ada.token });
    expect((await get(ada, bob, { query: "?format=raw" })).body.public_keys).toEqual(keys);
    expect(await get(ada, bob, { query: "?format=pem" })).toMatchObject(refusal(400, "bad-request"));
  });

  it("shows it in the form of each version", async () => {
    const [ada, bob] = await newPair();
    const { body: inVersion6 } = await get(ada, bob, { version: 6 });
    expect(inVersion6).toMatchObject({ conversation: { type: 2 }, public_keys: { removal: {} } });
    expect(inVersion6.conversation).not.toHaveProperty("cipher_suite");
    const { body: inVersion5 } = await get(ada, bob, { version: 5 });
    expect(inVersion5).toMatchObject({
      id: inVersion6.conversation.id,
      epoch: 0,
      epoch_timestamp: null,
      cipher_suite: 1,
    });
    expect(await get(ada, bob, { version: 4 })).toMatchObject({ status: 404 });
  });

  it("exists for team mates, and is refused to everybody else", async () => {
    const [team, stranger] = await Promise.all([newTeam(), newUser()]);
    const mate = await team.add();
    expect(await get(mate, team.owner)).toMatchObject({ status: 200 });
    const refused = refusal(403, "not-connected");
    expect(await get(mate, stranger)).toMatchObject(refused);
    expect(await get(mate, mate)).toMatchObject(refused);
    expect(await get(mate, team.owner, { domain: "other.example.org" })).toMatchObject(refused);
    const [ada, bob] = await newPair();
    await updateConnection(ada, bob, "blocked");
    expect(await get(ada, bob)).toMatchObject(refused);
    expect(await get(bob, ada)).toMatchObject(refused);
  });
});

describe("without MLS", () => {
  it("there are no MLS conversations", async () => {
    const stack = await stackWith({ setEnableMLS: false });
    const user = await newUser({}, stack);
    const refused = refusal(400, "mls-not-enabled");
    const path = `/v9/one2one-conversations/${localDomain}/${randomUUID()}`;
    expect(await stack.publicApi("GET", path, { token: user.token })).toMatchObject(refused);
    expect(await stack.publicApi("GET", "/v9/conversations/mls-self", { token: user.token })).toMatchObject(
      refused,
    );
  });
});
