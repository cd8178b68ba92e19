import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { oneToOneConversationId } from "#shared/conversations/derived-ids.ts";
import { outcome } from "../../support/api.ts";
import { connectUsers, localDomain, updateConnection } from "../../support/connections.ts";
import { emulateContention } from "../../support/contention.ts";
import { conversationData } from "../../support/conversations.ts";
import { addCrowd } from "../../support/crowds.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { injectFaults } from "../../support/faults.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

/** Concurrent changes of the members of a conversation, and requests that stop half-way. */

const stack = await stackWith();
const smallStack = await stackWith({ maxConvSize: 3 });
const { newConversation, store } = conversationData(stack);

type Target = Pick<User, "id">;

const add = ({ token }: User, cid: string, users: readonly Target[], { publicApi } = stack) =>
  publicApi("POST", `/conversations/${localDomain}/${cid}/members`, {
    token,
    json: { qualified_users: users.map(({ id }) => ({ domain: localDomain, id })) },
  });
const remove = ({ token }: User, cid: string, { id }: Target) =>
  stack.publicApi("DELETE", `/conversations/${localDomain}/${cid}/members/${localDomain}/${id}`, { token });
const demote = ({ token }: User, cid: string, { id }: Target) =>
  stack.publicApi("PUT", `/conversations/${localDomain}/${cid}/members/${localDomain}/${id}`, {
    token,
    json: { conversation_role: "svc_member" },
  });
const rename = ({ token }: User, cid: string, name: string) =>
  stack.publicApi("PUT", `/conversations/${localDomain}/${cid}/name`, { token, json: { name } });

/** Events of a conversation in the log of a user, in order. */
async function eventsOf({ token }: User, cid: string, { publicApi } = stack) {
  const events = await storedEvents(token, /^conversation\./, publicApi);
  return events.filter(({ conversation }) => conversation === cid) as unknown as {
    type: string;
    time: string;
    data: { user_ids: string[] };
  }[];
}

const memberIdsOf = async (cid: string) =>
  (await store.getPopulated(cid))?.members.map(({ userId }) => userId) ?? [];

/** Run requests whose transactions on one item collide as on AWS. */
async function collide<Result>(requests: () => Promise<Result>, { prefix } = stack): Promise<Result> {
  const endContention = emulateContention(prefix);
  return requests().finally(endContention);
}

const inOrderOfTime = (events: readonly { time: string }[]) =>
  events.toSorted((one, other) => (one.time < other.time ? -1 : 1));

describe("a conversation of two", () => {
  it("stays without a user who concurrently blocks the requester", async () => {
    const [ada, bob] = await Promise.all([newUser({}, stack), newUser({}, stack)]);
    await connectUsers(ada, bob, stack);
    const conversationId = oneToOneConversationId(ada.id, bob.id);
    let connectionRead: Promise<unknown> | undefined;
    let blocked: Promise<unknown> | undefined;
    const end = interceptAwsCalls(async ({ action, body }, send) => {
      if (action === "BatchGetItem" && body.includes(ada.id)) {
        const answer = send();
        connectionRead ??= answer;
        return answer;
      }
      if (action === "Query" && body.includes(`"conversation#${conversationId}"`)) {
        await connectionRead;
        blocked ??= updateConnection(ada, bob, "blocked", stack);
        await blocked;
      }
      return send();
    });
    const asked = await stack
      .publicApi("POST", "/v9/one2one-conversations", {
        token: bob.token,
        json: { qualified_users: [{ domain: localDomain, id: ada.id }] },
      })
      .finally(end);
    expect(await blocked).toMatchObject({ status: 200 });
    expect(outcome(asked)).toBe("403 not-connected");
    expect(await memberIdsOf(conversationId)).toEqual([bob.id]);
  });
});

describe("the last place in a conversation", () => {
  it("is taken by only one of several users who are concurrently added or join", async () => {
    const { newConversation: newSmall, store: smallStore } = conversationData(smallStack);
    const users = await Promise.all(Array.from({ length: 7 }, () => newUser({}, smallStack)));
    const [ada, bob, ...others] = users as [User, User, ...User[]];
    const team = await newTeam({}, smallStack);
    const mates = await Promise.all(Array.from({ length: 4 }, () => team.add()));
    const { id } = await newSmall([team.owner, ada], { team, access: ["invite", "link"] });
    const { token } = bob;
    const answers = await collide(
      () =>
        Promise.all([
          ...mates.map((mate) => add(team.owner, id, [mate], smallStack)),
          ...others.map((user) =>
            smallStack.publicApi("POST", `/v4/conversations/${id}/join`, { token: user.token }),
          ),
          smallStack.publicApi("POST", `/v4/conversations/${id}/join`, { token }),
        ]),
      smallStack,
    );
    const outcomes = answers.map(outcome).toSorted();
    expect(outcomes).toEqual(["200", ...Array(answers.length - 1).fill("403 too-many-members")]);
    expect(await smallStore.getPopulated(id)).toMatchObject({ conversation: { memberCount: 3 } });
    expect((await smallStore.getPopulated(id))?.members).toHaveLength(3);
  });
});

describe("two admins", () => {
  it("cannot both take away each other's role", async () => {
    const [ada, bob] = await Promise.all([newUser({}, stack), newUser({}, stack)]);
    const { id } = await newConversation([ada, bob]);
    const answers = await collide(() => Promise.all([demote(ada, id, bob), demote(bob, id, ada)]));
    expect(answers.map(outcome).toSorted()).toEqual(["200", "403 action-denied"]);
    const roles = (await store.getPopulated(id))?.members.map(({ role }) => role);
    expect(roles?.toSorted()).toEqual(["admin", "member"]);
  });

  it("remove each other, and one of them stays", async () => {
    const [ada, bob] = await Promise.all([newUser({}, stack), newUser({}, stack)]);
    const { id } = await newConversation([ada, bob]);
    const answers = await collide(() => Promise.all([remove(ada, id, bob), remove(bob, id, ada)]));
    expect(answers.map(outcome).toSorted()).toEqual(["200", "404 no-conversation"]);
    expect(await memberIdsOf(id)).toHaveLength(1);
  });
});

describe("events", () => {
  it("match the members when a user is concurrently added and removed", async () => {
    const [ada, bob, eve] = (await Promise.all([1, 2, 3].map(() => newUser({}, stack)))) as [
      User,
      User,
      User,
    ];
    await Promise.all([connectUsers(ada, eve, stack), connectUsers(bob, eve, stack)]);
    const { id } = await newConversation([ada, bob]);
    const answers = await collide(() =>
      Promise.all([1, 2, 3, 4].flatMap(() => [add(ada, id, [eve]), remove(bob, id, eve)])),
    );
    expect(answers.every(({ status }) => status === 200 || status === 204)).toBe(true);
    const expected = inOrderOfTime(answers.filter(({ status }) => status === 200).map(({ body }) => body));
    const isIn = (await memberIdsOf(id)).includes(eve.id);
    const last = expected.at(-1) as { type?: string } | undefined;
    expect(last?.type ?? "conversation.member-leave").toBe(
      isIn ? "conversation.member-join" : "conversation.member-leave",
    );
    await eventually(async () => {
      for (const user of [ada, bob]) expect(await eventsOf(user, id)).toEqual(expected);
    });
  });

  it("tell a user nothing that happens after the user has left", async () => {
    const [ada, bob] = await Promise.all([newUser({}, stack), newUser({}, stack)]);
    const { id } = await newConversation([ada, bob]);
    const names = ["one", "two", "three", "four"];
    const answers = await collide(() =>
      Promise.all([...names.map((name) => rename(ada, id, name)), remove(bob, id, bob)]),
    );
    expect(answers.map(outcome)).toEqual(Array(5).fill("200"));
    const expected = inOrderOfTime(answers.map(({ body }) => body));
    const leaving = expected.findIndex((event) => Object(event).type === "conversation.member-leave");
    await eventually(async () => {
      expect(await eventsOf(ada, id)).toEqual(expected);
      expect(await eventsOf(bob, id)).toEqual(expected.slice(0, leaving + 1));
    });
  });
});

describe("adding more users than a transaction takes", () => {
  it("reads none of them when the caller may not add them or there is no room", async () => {
    const [ada, eve] = await Promise.all([newUser({}, smallStack), newUser({}, smallStack)]);
    const { id } = await conversationData(smallStack).newConversation([ada]);
    const crowd = Array.from({ length: 500 }, () => ({ id: randomUUID() }));
    let batches = 0;
    const end = interceptAwsCalls(({ action, body }, send) => {
      if (action === "BatchGetItem" && crowd.some((user) => body.includes(user.id))) batches++;
      return send();
    });
    try {
      expect(outcome(await add(eve, id, crowd, smallStack))).toBe("404 no-conversation");
      expect(outcome(await add(eve, randomUUID(), crowd, smallStack))).toBe("404 no-conversation");
      expect(outcome(await add(ada, id, crowd, smallStack))).toBe("403 too-many-members");
    } finally {
      end();
    }
    expect(batches).toBe(0);
  });

  it("tells everybody in order, and can be completed by a repetition when it stops half-way", async () => {
    const team = await newTeam({}, stack);
    const [early, late] = await Promise.all([team.add(), team.add()]);
    const crowd = (await addCrowd(team, { size: 98 }, stack.prefix)).map((id) => ({ id }));
    const { id } = await newConversation([team.owner], { team });
    const everybody = [early, ...crowd, late];

    let transactions = 0;
    const endFaults = injectFaults(({ action, body }) => {
      const isOurs = action === "TransactWriteItems" && body.includes(`conversation#${id}`);
      return isOurs && ++transactions === 2 ? "dies-after" : undefined;
    });
    await expect(add(team.owner, id, everybody).finally(endFaults)).rejects.toThrow("answered 500");
    const half = await memberIdsOf(id);
    expect(half).toHaveLength(95);

    const { status, body } = await add(team.owner, id, everybody);
    expect(status).toBe(200);
    expect([...half, ...body.data.user_ids].toSorted()).toEqual(
      [team.owner, ...everybody].map((user) => user.id).toSorted(),
    );
    expect(await store.get(id)).toMatchObject({ memberCount: 101 });
    expect(await memberIdsOf(id)).toHaveLength(101);
    expect((await add(team.owner, id, everybody)).status).toBe(204);

    await eventually(async () => {
      const joins = await eventsOf(team.owner, id);
      expect(joins.flatMap(({ data }) => data.user_ids)).toEqual(everybody.map((user) => user.id));
      expect(inOrderOfTime(joins)).toEqual(joins);
      expect(await eventsOf(early, id)).toEqual(joins);
      expect(await eventsOf(late, id)).toEqual(joins.slice(-1));
    });
  });
});
