import { describe, expect, it } from "vitest";
import { oneToOneConversationId } from "#shared/conversations/derived-ids.ts";
import { conversationGroup } from "#shared/events/publisher.ts";
import { api, outcome } from "../../support/api.ts";
import {
  connectionData,
  connectUsers,
  localDomain,
  requestConnection,
  updateConnection,
} from "../../support/connections.ts";
import { conversationData } from "../../support/conversations.ts";
import { eventSource, storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { newUser, type User } from "../../support/users.ts";

const events = eventSource();
const { store, write } = conversationData();
const connections = connectionData();

const twoUsers = () => Promise.all([newUser({ name: "Ada" }), newUser({ name: "Bob" })]);
const idOf = (one: Pick<User, "id">, other: Pick<User, "id">) => oneToOneConversationId(one.id, other.id);

/** The conversation of two users as its members see it; undefined if there is none. */
async function conversationOf(one: User, other: User) {
  const id = idOf(one, other);
  const answers = await Promise.all(
    [one, other].map(async (user) => {
      const { token } = user;
      const [answer, list] = await Promise.all([
        api("GET", `/v9/conversations/${localDomain}/${id}`, { token }),
        api("POST", "/v9/conversations/list-ids", { token, json: {} }),
      ]);
      expect(list.body.qualified_conversations.some((listed: { id: string }) => listed.id === id)).toBe(
        answer.status === 200,
      );
      return { user, answer };
    }),
  );
  const views = answers.filter(({ answer }) => answer.status === 200);
  for (const { user, answer } of views) expect(answer.body.members.self.id).toBe(user.id);
  const [first, second] = views.map(({ user, answer: { body } }) => ({
    type: body.type,
    name: body.name,
    members: [user.id, ...body.members.others.map((member: { id: string }) => member.id)].toSorted(),
  }));
  if (second !== undefined) expect(second).toEqual(first);
  if (first !== undefined) return first;
  const outcomes = answers.map(({ answer }) => outcome(answer));
  if (outcomes.every((it) => it === "404 no-conversation")) return undefined;
  expect(outcomes).toEqual(["403 access-denied", "403 access-denied"]);
  return { type: undefined, name: undefined, members: [] };
}

/** Values of `type`. */
const [oneToOne, pending] = [2, 3];

const ids = (...users: User[]) => users.map(({ id }) => id).toSorted();

/** Events of the conversation of two users that one of them got, once all have been delivered. */
async function eventsOf(user: User, peer: User) {
  const number = Math.floor(Math.random() * 1e9);
  await events.publish({ number, to: [{ userId: user.id }], sender: conversationGroup(idOf(user, peer)) });
  await eventually(async () => {
    const marks = await storedEvents(user.token, "test.numbered");
    expect(marks.map((mark) => mark.number)).toContain(number);
  });
  const all = await storedEvents(user.token, /^conversation\./);
  return all.filter(({ conversation }) => conversation === idOf(user, peer));
}
const typesOf = async (user: User, peer: User) => (await eventsOf(user, peer)).map(({ type }) => type);

const envelope = (from: User, to: User) => ({
  conversation: idOf(from, to),
  qualified_conversation: { domain: localDomain, id: idOf(from, to) },
  from: from.id,
  qualified_from: { domain: localDomain, id: from.id },
  via: "user",
  time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
});

describe.concurrent("the conversation of two users", () => {
  it("is named by their connection in all of its states, whoever asks", async () => {
    const [ada, bob] = await twoUsers();
    const conversation = idOf(ada, bob);
    const named = { conversation, qualified_conversation: { domain: localDomain, id: conversation } };
    expect((await requestConnection(ada, bob)).body).toMatchObject(named);
    expect((await updateConnection(bob, ada, "ignored")).body).toMatchObject(named);
    expect((await updateConnection(ada, bob, "cancelled")).body).toMatchObject(named);
    for (const [user, peer] of [
      [ada, bob],
      [bob, ada],
    ] as const) {
      const { body } = await api("POST", "/list-connections", { token: user.token, json: {} });
      expect(body.connections).toMatchObject([{ to: peer.id, ...named }]);
    }
  });

  it("is created by a request, with the requester as its only member", async () => {
    const [ada, bob] = await twoUsers();
    const json = { user: bob.id, name: "Ada and Bob" };
    expect((await api("POST", "/v1/connections", { token: ada.token, json })).status).toBe(201);
    expect(await conversationOf(ada, bob)).toEqual({
      type: pending,
      name: "Ada and Bob",
      members: [ada.id],
    });
    const [created, requested, ...others] = await eventsOf(ada, bob);
    expect(created).toMatchObject({
      type: "conversation.create",
      ...envelope(ada, bob),
      data: { id: idOf(ada, bob), type: 3, name: "Ada and Bob", access: ["private"], creator: ada.id },
    });
    expect(requested).toEqual({
      type: "conversation.connect-request",
      ...envelope(ada, bob),
      data: {
        qualified_recipient: { domain: localDomain, id: bob.id },
        recipient: bob.id,
        message: null,
        name: "Ada and Bob",
        email: null,
      },
    });
    expect(others).toEqual([]);
    expect(await eventsOf(bob, ada)).toEqual([]);
  });

  it("has no name unless the request gives one, and keeps its name", async () => {
    const [ada, bob] = await twoUsers();
    await requestConnection(ada, bob);
    expect(await conversationOf(ada, bob)).toMatchObject({ name: null });
    const again = (name: string) =>
      api("POST", "/v1/connections", { token: ada.token, json: { user: bob.id, name } });
    expect((await again("First")).status).toBe(200);
    expect(await conversationOf(ada, bob)).toMatchObject({ type: pending, name: "First" });
    expect((await again("Second")).status).toBe(200);
    await requestConnection(ada, bob);
    expect(await conversationOf(ada, bob)).toMatchObject({ name: "Second", members: [ada.id] });
    const requests = (await eventsOf(ada, bob)).slice(1);
    expect(requests.map(({ type }) => type)).toEqual(Array(4).fill("conversation.connect-request"));
    expect(requests.map(({ data }) => (data as { name: unknown }).name)).toEqual([
      null,
      "First",
      "Second",
      "Second",
    ]);
    expect(await eventsOf(bob, ada)).toEqual([]);
  });

  it("becomes one-to-one when the other user accepts, and tells both who joins", async () => {
    const [ada, bob] = await twoUsers();
    await connectUsers(ada, bob);
    expect(await conversationOf(ada, bob)).toMatchObject({ type: oneToOne, members: ids(ada, bob) });
    const joined = {
      type: "conversation.member-join",
      ...envelope(bob, ada),
      data: {
        users: [
          {
            qualified_id: { domain: localDomain, id: bob.id },
            id: bob.id,
            conversation_role: expect.stringMatching(/_admin$/),
          },
        ],
        user_ids: [bob.id],
        add_type: "internal_add",
      },
    };
    expect((await eventsOf(ada, bob)).at(-1)).toEqual(joined);
    expect(await eventsOf(bob, ada)).toEqual([joined]);
  });

  it("becomes one-to-one when both send a request", async () => {
    const [ada, bob] = await twoUsers();
    await requestConnection(ada, bob);
    await requestConnection(bob, ada);
    expect(await conversationOf(ada, bob)).toMatchObject({ type: oneToOne, members: ids(ada, bob) });
    expect(await typesOf(bob, ada)).toEqual(["conversation.member-join"]);
    expect(outcome(await requestConnection(bob, ada))).toBe("200");
    expect(await typesOf(bob, ada)).toEqual(["conversation.member-join"]);
  });

  it("stays as it is when the request is ignored, and loses the requester when it is withdrawn", async () => {
    const [ada, bob] = await twoUsers();
    await requestConnection(ada, bob);
    await updateConnection(bob, ada, "ignored");
    expect(await conversationOf(ada, bob)).toMatchObject({ type: pending, members: [ada.id] });
    await updateConnection(ada, bob, "cancelled");
    expect(await conversationOf(ada, bob)).toMatchObject({ members: [] });
    expect(await typesOf(ada, bob)).toEqual(["conversation.create", "conversation.connect-request"]);
    await requestConnection(bob, ada);
    expect(await conversationOf(ada, bob)).toMatchObject({ type: pending, members: [bob.id] });
    expect(await typesOf(bob, ada)).toEqual(["conversation.connect-request"]);
    await updateConnection(ada, bob, "accepted");
    expect(await conversationOf(ada, bob)).toMatchObject({ type: oneToOne, members: ids(ada, bob) });
  });

  it("is left silently by a user who blocks the other one, and joined again when the block ends", async () => {
    const [ada, bob] = await twoUsers();
    await connectUsers(ada, bob);
    const before = [await typesOf(ada, bob), await typesOf(bob, ada)];
    expect((await updateConnection(bob, ada, "blocked")).status).toBe(200);
    expect(await conversationOf(ada, bob)).toMatchObject({ type: oneToOne, members: [ada.id] });
    expect([await typesOf(ada, bob), await typesOf(bob, ada)]).toEqual(before);
    expect((await updateConnection(bob, ada, "accepted")).status).toBe(200);
    expect(await conversationOf(ada, bob)).toMatchObject({ type: oneToOne, members: ids(ada, bob) });
    for (const [user, peer] of [
      [ada, bob],
      [bob, ada],
    ] as const) {
      expect((await eventsOf(user, peer)).at(-1)).toMatchObject({
        type: "conversation.member-join",
        from: bob.id,
        data: { user_ids: [bob.id] },
      });
    }
  });

  it("gives a returning user fresh settings", async () => {
    const [ada, bob] = await twoUsers();
    await connectUsers(ada, bob);
    const conversationId = idOf(ada, bob);
    await write([store.changeOwnSettings({ conversationId, userId: bob.id }, { isArchived: true })]);
    await updateConnection(bob, ada, "blocked");
    await updateConnection(bob, ada, "accepted");
    expect(await store.getMember({ conversationId, userId: bob.id })).toEqual({
      conversationId,
      userId: bob.id,
      role: "admin",
    });
  });

  it("is empty while both block each other", async () => {
    const [ada, bob] = await twoUsers();
    await connectUsers(ada, bob);
    await updateConnection(ada, bob, "blocked");
    await updateConnection(bob, ada, "blocked");
    expect(await conversationOf(ada, bob)).toMatchObject({ members: [] });
    await updateConnection(ada, bob, "accepted");
    expect(await conversationOf(ada, bob)).toMatchObject({ type: oneToOne, members: [ada.id] });
    expect((await eventsOf(ada, bob)).at(-1)).toMatchObject({ data: { user_ids: [ada.id] } });
    expect(await typesOf(bob, ada)).toEqual(["conversation.member-join"]);
    await updateConnection(bob, ada, "accepted");
    expect(await conversationOf(ada, bob)).toMatchObject({ members: ids(ada, bob) });
  });

  it("stays that of a request while the requester blocks the other user, and becomes one-to-one afterwards", async () => {
    const [ada, bob] = await twoUsers();
    await requestConnection(ada, bob);
    await updateConnection(ada, bob, "blocked");
    expect(await conversationOf(ada, bob)).toMatchObject({ members: [] });
    await updateConnection(bob, ada, "accepted");
    expect(await conversationOf(ada, bob)).toMatchObject({ type: pending, members: [bob.id] });
    expect(await typesOf(bob, ada)).toEqual(["conversation.member-join"]);
    await updateConnection(ada, bob, "accepted");
    expect(await conversationOf(ada, bob)).toMatchObject({ type: oneToOne, members: ids(ada, bob) });
    expect((await eventsOf(bob, ada)).at(-1)).toMatchObject({ data: { user_ids: [ada.id] } });
  });

  it("sends no event about a request to a user who blocks the sender", async () => {
    const [ada, bob] = await twoUsers();
    await requestConnection(ada, bob);
    await updateConnection(bob, ada, "blocked");
    await updateConnection(ada, bob, "cancelled");
    const before = await typesOf(ada, bob);
    expect(await requestConnection(ada, bob)).toMatchObject({ status: 200, body: { status: "sent" } });
    expect(await conversationOf(ada, bob)).toMatchObject({ type: pending, members: [ada.id] });
    expect(await typesOf(ada, bob)).toEqual(before);
    expect(await eventsOf(bob, ada)).toEqual([]);
  });
});

describe.concurrent("a connection that is older than conversations", () => {
  /** Removes the conversation, as if there had been none. */
  async function forget(one: User, other: User): Promise<void> {
    const found = await store.getPopulated(idOf(one, other));
    if (found !== undefined) await write(store.remove(found));
  }

  it("can be blocked, and gets its conversation when the block ends", async () => {
    const [ada, bob] = await twoUsers();
    await connectUsers(ada, bob);
    await forget(ada, bob);
    expect((await updateConnection(ada, bob, "blocked")).status).toBe(200);
    expect(await conversationOf(ada, bob)).toBeUndefined();
    expect((await updateConnection(ada, bob, "accepted")).status).toBe(200);
    expect(await conversationOf(ada, bob)).toMatchObject({ type: oneToOne, members: ids(ada, bob) });
    for (const [user, peer] of [
      [ada, bob],
      [bob, ada],
    ] as const) {
      expect((await eventsOf(user, peer)).at(-1)).toMatchObject({
        type: "conversation.create",
        data: { type: 2, creator: ada.id },
      });
    }
  });

  it.each([
    ["accepted", { type: oneToOne }],
    ["ignored", undefined],
    ["blocked", undefined],
  ])("gets the missing conversation when it is %s", async (status, expected) => {
    const [ada, bob] = await twoUsers();
    await requestConnection(ada, bob);
    await forget(ada, bob);
    expect((await updateConnection(bob, ada, status)).status).toBe(200);
    const found = await conversationOf(ada, bob);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject({ ...expected, members: ids(ada, bob) });
  });

  it("gets the missing conversation when the request is repeated", async () => {
    const [ada, bob] = await twoUsers();
    await requestConnection(ada, bob);
    await forget(ada, bob);
    expect((await requestConnection(ada, bob)).status).toBe(200);
    expect(await conversationOf(ada, bob)).toMatchObject({ type: pending, members: [ada.id] });
  });
});

describe.concurrent("concurrent changes of a connection", () => {
  const isIn = (status: string) => status === "accepted" || status === "sent";

  it.each([
    [
      "requests of both",
      (one: User, other: User) => [requestConnection(one, other), requestConnection(other, one)],
      ["200", "201"],
    ],
    [
      "an acceptance and a block",
      (one: User, other: User) => [
        updateConnection(other, one, "accepted"),
        updateConnection(one, other, "blocked"),
      ],
      ["200", "200"],
    ],
    [
      "an acceptance and a withdrawal",
      (one: User, other: User) => [
        updateConnection(other, one, "accepted"),
        updateConnection(one, other, "cancelled"),
      ],
      ["200", "403 bad-conn-update"],
    ],
    [
      "two acceptances",
      (one: User, other: User) => [
        updateConnection(other, one, "accepted"),
        updateConnection(other, one, "accepted"),
      ],
      ["200", "204"],
    ],
  ])("leave the conversation with the connected users: %s", async (name, act, expected) => {
    const pairs = await Promise.all(Array.from({ length: 6 }, twoUsers));
    if (name !== "requests of both") {
      await Promise.all(pairs.map(([one, other]) => requestConnection(one, other)));
    }
    const answers = await Promise.all(pairs.map(([one, other]) => Promise.all(act(one, other))));
    for (const ofPair of answers) expect(ofPair.map(outcome).toSorted()).toEqual(expected);
    for (const [one, other] of pairs) {
      const pair = await connections.store.getPair(one.id, other.id);
      const members = [pair?.own, pair?.other].flatMap((side) =>
        side !== undefined && isIn(side.status) ? [side.userId] : [],
      );
      const found = await conversationOf(one, other);
      expect(found?.members).toEqual(members.toSorted());
      if (members.length === 2) expect(found?.type).toBe(oneToOne);
    }
  });

  it("tell both users only once that somebody joins, even if acceptances are repeated concurrently", async () => {
    const [ada, bob] = await twoUsers();
    await requestConnection(ada, bob);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => updateConnection(bob, ada, "accepted")),
    );
    expect(answers.map(outcome).toSorted()).toEqual(["200", "204", "204", "204", "204"]);
    expect(await typesOf(bob, ada)).toEqual(["conversation.member-join"]);
  });
});
