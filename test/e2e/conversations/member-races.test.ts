import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { oneToOneConversationId } from "#shared/conversations/derived-ids.ts";
import { api, outcome } from "../../support/api.ts";
import { connectUsers, localDomain, updateConnection } from "../../support/connections.ts";
import { conversationData } from "../../support/conversations.ts";
import { addCrowd } from "../../support/crowds.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { injectFaults } from "../../support/faults.ts";
import { concurrently, each, only, overtaking, race } from "../../support/races.ts";
import { times } from "../../support/soak.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam } from "../../support/teams.ts";
import { newUser, type User } from "../../support/users.ts";

/** Concurrent changes of the members of a conversation, and requests that stop half-way. */

const smallStack = await stackWith({ maxConvSize: 3 });
const { newConversation, store } = conversationData();

type Target = Pick<User, "id">;

const add = ({ token }: User, cid: string, users: readonly Target[], { publicApi = api } = {}) =>
  publicApi("POST", `/conversations/${localDomain}/${cid}/members`, {
    token,
    json: { qualified_users: users.map(({ id }) => ({ domain: localDomain, id })) },
  });
const remove = ({ token }: User, cid: string, { id }: Target) =>
  api("DELETE", `/conversations/${localDomain}/${cid}/members/${localDomain}/${id}`, { token });
const demote = ({ token }: User, cid: string, { id }: Target) =>
  api("PUT", `/conversations/${localDomain}/${cid}/members/${localDomain}/${id}`, {
    token,
    json: { conversation_role: "svc_member" },
  });
const rename = ({ token }: User, cid: string, name: string) =>
  api("PUT", `/conversations/${localDomain}/${cid}/name`, { token, json: { name } });

/** Events of a conversation in the log of a user, in order. */
async function eventsOf({ token }: User, cid: string) {
  const events = await storedEvents(token, /^conversation\./);
  return events.filter(({ conversation }) => conversation === cid) as unknown as {
    type: string;
    time: string;
    data: { user_ids: string[] };
  }[];
}

const memberIdsOf = async (cid: string) =>
  (await store.getPopulated(cid))?.members.map(({ userId }) => userId) ?? [];

const inOrderOfTime = (events: readonly { time: string }[]) =>
  events.toSorted((one, other) => (one.time < other.time ? -1 : 1));

const newUsers = (count: number) => concurrently(count, () => newUser()) as Promise<[User, User, ...User[]]>;

/** A conversation of two admins. */
async function newPair() {
  const [ada, bob] = await newUsers(2);
  return { ada, bob, id: (await newConversation([ada, bob])).id };
}

describe("a conversation of two", () => {
  overtaking("stays without a user who concurrently blocks the requester", {
    given: async () => {
      const [ada, bob] = await newUsers(2);
      await connectUsers(ada, bob);
      return { ada, bob, id: oneToOneConversationId(ada.id, bob.id) };
    },
    act: ({ ada, bob }) => {
      const json = { qualified_users: [{ domain: localDomain, id: ada.id }] };
      return api("POST", "/v9/one2one-conversations", { token: bob.token, json });
    },
    // By then, the connection has been read.
    before: ({ id }) => ({ action: "Query", mentions: `"conversation#${id}"` }),
    happens: ({ ada, bob }) => updateConnection(ada, bob, "blocked"),
    outcome: "403 not-connected",
    holds: async ({ bob, id }, { other }) => {
      expect(other.status).toBe(200);
      expect(await memberIdsOf(id)).toEqual([bob.id]);
    },
  });
});

describe("the last place in a conversation", () => {
  const ofEachKind = times(2, 5);

  race("is taken by only one of several users who are concurrently added or join", {
    given: async () => {
      const [ada, ...strangers] = await newUsers(1 + ofEachKind);
      const team = await newTeam();
      const mates = await concurrently(ofEachKind, () => team.add());
      const { id } = await newConversation([team.owner, ada], { team, access: ["invite", "link"] });
      return { id, team, mates, strangers };
    },
    collides: true,
    exactly: 2 * ofEachKind,
    act: ({ id, team, mates, strangers }, index) => {
      if (index < ofEachKind) return add(team.owner, id, [mates[index] as User], smallStack);
      const { token } = strangers[index - ofEachKind] as User;
      return smallStack.publicApi("POST", `/v4/conversations/${id}/join`, { token });
    },
    outcomes: only("200", "403 too-many-members"),
    holds: async ({ id }) => {
      const found = await store.getPopulated(id);
      expect([found?.conversation.memberCount, found?.members.length]).toEqual([3, 3]);
    },
  });
});

describe("two admins", () => {
  race("cannot both take away each other's role", {
    given: newPair,
    collides: true,
    act: [({ ada, bob, id }) => demote(ada, id, bob), ({ ada, bob, id }) => demote(bob, id, ada)],
    outcomes: only("200", "403 action-denied"),
    holds: async ({ id }) => {
      const roles = (await store.getPopulated(id))?.members.map(({ role }) => role);
      expect(roles?.toSorted()).toEqual(["admin", "member"]);
    },
  });

  race("remove each other, and one of them stays", {
    given: newPair,
    collides: true,
    act: [({ ada, bob, id }) => remove(ada, id, bob), ({ ada, bob, id }) => remove(bob, id, ada)],
    outcomes: only("200", "404 no-conversation"),
    holds: async ({ id }) => expect(await memberIdsOf(id)).toHaveLength(1),
  });
});

describe("events", () => {
  race("match the members when a user is concurrently added and removed", {
    given: async () => {
      const [ada, bob, eve] = (await newUsers(3)) as [User, User, User];
      await Promise.all([connectUsers(ada, eve), connectUsers(bob, eve)]);
      return { ada, bob, eve, id: (await newConversation([ada, bob])).id };
    },
    collides: true,
    exactly: times(4, 8),
    act: ({ ada, bob, eve, id }, index) => (index % 2 === 0 ? add(ada, id, [eve]) : remove(bob, id, eve)),
    outcomes: each("200", "204"),
    holds: async ({ ada, bob, eve, id }, answers) => {
      const expected = inOrderOfTime(answers.flatMap(({ status, body }) => (status === 200 ? body : [])));
      const { type = "conversation.member-leave" } = (expected.at(-1) ?? {}) as { type?: string };
      const isIn = (await memberIdsOf(id)).includes(eve.id);
      expect(type).toBe(isIn ? "conversation.member-join" : "conversation.member-leave");
      await eventually(async () => {
        for (const user of [ada, bob]) expect(await eventsOf(user, id)).toEqual(expected);
      });
    },
  });

  race("tell a user nothing that happens after the user has left", {
    given: newPair,
    collides: true,
    against: ({ bob, id }) => remove(bob, id, bob),
    act: ({ ada, id }, index) => rename(ada, id, `name ${index}`),
    outcomes: each("200"),
    holds: async ({ ada, bob, id }, answers) => {
      const expected = inOrderOfTime(answers.map(({ body }) => body));
      const leaving = expected.findIndex((event) => Object(event).type === "conversation.member-leave");
      await eventually(async () => {
        expect(await eventsOf(ada, id)).toEqual(expected);
        expect(await eventsOf(bob, id)).toEqual(expected.slice(0, leaving + 1));
      });
    },
  });
});

describe("adding more users than a transaction takes", () => {
  it("reads none of them when the caller may not add them or there is no room", async () => {
    const [ada, eve] = await newUsers(2);
    const { id } = await newConversation([ada]);
    const crowd = Array.from({ length: 500 }, () => ({ id: randomUUID() }));
    let batches = 0;
    const end = injectFaults(({ action, body }) => {
      if (action === "BatchGetItem" && crowd.some((user) => body.includes(user.id))) batches++;
      return undefined;
    });
    onTestFinished(end);
    expect(outcome(await add(eve, id, crowd, smallStack))).toBe("404 no-conversation");
    expect(outcome(await add(eve, randomUUID(), crowd, smallStack))).toBe("404 no-conversation");
    expect(outcome(await add(ada, id, crowd, smallStack))).toBe("403 too-many-members");
    expect(batches).toBe(0);
  });

  it("tells everybody in order, and can be completed by a repetition when it stops half-way", async () => {
    const team = await newTeam();
    const [early, late] = await Promise.all([team.add(), team.add()]);
    const crowd = (await addCrowd(team, { size: 98 })).map((id) => ({ id }));
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
