import { beforeAll, describe, expect, it } from "vitest";
import { oneToOneConversationId } from "#shared/conversations/derived-ids.ts";
import { itemsMentioning } from "../../support/all-items.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { connectUsers, localDomain, requestConnection, updateConnection } from "../../support/connections.ts";
import { conversationData, newConversation } from "../../support/conversations.ts";
import { storedEvents } from "../../support/events.ts";
import { eventually } from "../../support/eventually.ts";
import { injectFaults } from "../../support/faults.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newTeam, removeMember } from "../../support/teams.ts";
import { type Apis, newUser, type User } from "../../support/users.ts";

const { store } = conversationData();

const deleteUser = (
  { id }: User,
  { internalApi: callInternal }: Pick<Apis, "internalApi"> = { internalApi },
) => callInternal("DELETE", `/i/users/${id}`);

const membersOf = async (conversationId: string, from = store) =>
  (await from.getPopulated(conversationId))?.members.map(({ userId }) => userId);

/** Wait until no conversation is in the list of a user. */
const untilGone = ({ id }: User, from = store) =>
  eventually(async () => expect(await from.listOfUser(id, { limit: 1 })).toEqual([]));

const leavesOf = ({ token }: User) => storedEvents(token, "conversation.member-leave");

const leaveOf = ({ id }: User, conversationId: string, team?: { id: string }) => ({
  type: "conversation.member-leave",
  conversation: conversationId,
  qualified_conversation: { domain: localDomain, id: conversationId },
  from: id,
  qualified_from: { domain: localDomain, id },
  time: expect.any(String),
  via: "user",
  ...(team !== undefined && { team: team.id }),
  data: {
    reason: "user-deleted",
    user_ids: [id],
    qualified_user_ids: [{ domain: localDomain, id }],
  },
});

describe.concurrent("a user whose account is deleted", () => {
  it("leaves groups with the reason user-deleted, and conversations of two silently", async () => {
    const [user, contact, member] = await Promise.all([newUser(), newUser(), newUser()]);
    await connectUsers(user, contact);
    const group = await newConversation([member, user, contact]);
    const pair = oneToOneConversationId(user.id, contact.id);
    await deleteUser(user);
    await untilGone(user);
    expect((await membersOf(group.id))?.toSorted()).toEqual([member.id, contact.id].toSorted());
    expect(await membersOf(pair)).toEqual([contact.id]);
    for (const { token } of [member, contact]) {
      await eventually(async () => {
        expect(await leavesOf({ token } as User)).toEqual([leaveOf(user, group.id)]);
      });
    }
    await eventually(async () => {
      const got = await storedEvents(contact.token, /^conversation\./);
      expect(got.filter(({ conversation }) => conversation === pair)).toMatchObject([
        { type: "conversation.member-join" },
      ]);
    });
    expect(await leavesOf(user)).toEqual([]);
  });

  it("deletes conversations without other members, except those of teams", async () => {
    const team = await newTeam();
    const [user, asked, blocking] = await Promise.all([team.add(), newUser(), newUser()]);
    const alone = await newConversation([user]);
    const ofTeam = await newConversation([user], { team });
    await requestConnection(user, asked);
    await connectUsers(user, blocking);
    await updateConnection(blocking, user, "blocked");
    await deleteUser(user);
    await untilGone(user);
    await eventually(async () => {
      for (const peer of [asked, blocking]) {
        expect(await store.get(oneToOneConversationId(user.id, peer.id))).toBeUndefined();
      }
    });
    expect(await store.get(alone.id)).toBeUndefined();
    expect(await store.get(ofTeam.id)).toMatchObject({ memberCount: 0 });
    expect(await store.listOfTeam(team.id, { limit: 10 })).toMatchObject([{ conversationId: ofTeam.id }]);
  });

  it.each(["pending", "ignored", "withdrawn"])(
    "leaves no conversation behind of a request that is %s",
    async (state) => {
      const [user, requester] = await Promise.all([newUser(), newUser()]);
      await requestConnection(requester, user);
      if (state === "ignored") await updateConnection(user, requester, "ignored");
      if (state === "withdrawn") await updateConnection(requester, user, "cancelled");
      await deleteUser(user);
      await eventually(async () => {
        expect(await store.get(oneToOneConversationId(user.id, requester.id))).toBeUndefined();
      });
      expect(await store.listOfUser(requester.id, { limit: 1 })).toEqual([]);
      expect(await leavesOf(requester)).toEqual([]);
    },
  );

  it("leaves the conversations of the team first, and by itself, when removed by an owner", async () => {
    const [team, guest] = await Promise.all([newTeam(), newUser()]);
    const member = await team.add();
    const others = await Promise.all(Array.from({ length: 4 }, () => newConversation([guest, member])));
    const ofTeam = await Promise.all(
      Array.from({ length: 4 }, () => newConversation([team.owner, member, guest], { team })),
    );
    expect(outcome(await removeMember(team, team.owner, member))).toBe("202");
    await eventually(async () => {
      const got = await leavesOf(team.owner);
      const expected = ofTeam.map(({ id }) => leaveOf(member, id, team));
      expect(got).toHaveLength(4);
      expect(got).toEqual(expect.arrayContaining(expected));
    });
    await eventually(async () => expect(await leavesOf(guest)).toHaveLength(8));
    const times = Object.groupBy(await leavesOf(guest), ({ conversation }) =>
      others.some(({ id }) => id === conversation) ? "others" : "ofTeam",
    );
    const [last] =
      times.ofTeam
        ?.map(({ time }) => String(time))
        .toSorted()
        .reverse() ?? [];
    const [first] = times.others?.map(({ time }) => String(time)).toSorted() ?? [];
    expect((last ?? "") <= (first ?? "")).toBe(true);
  });

  it("leaves a conversation even if others keep changing it", async () => {
    const [user, member] = await Promise.all([newUser(), newUser()]);
    const [busy, quiet] = await Promise.all([
      newConversation([member, user]),
      newConversation([member, user]),
    ]);
    let isDone = false;
    const rename = async () => {
      const path = `/conversations/${localDomain}/${busy.id}/name`;
      for (let number = 0; !isDone; number++) {
        const { status } = await api("PUT", path, { token: member.token, json: { name: `Name ${number}` } });
        expect(status).toBe(200);
      }
    };
    const renaming = [rename(), rename()];
    await deleteUser(user);
    await untilGone(user);
    isDone = true;
    await Promise.all(renaming);
    await eventually(async () => {
      const leaves = (await leavesOf(member)).map(({ conversation }) => conversation);
      expect(leaves.toSorted()).toEqual([busy.id, quiet.id].toSorted());
    });
    expect(await membersOf(busy.id)).toEqual([member.id]);
  });

  it("cannot enter one with an access token that is still valid", async () => {
    const [user, member] = await Promise.all([newUser(), newUser()]);
    const group = await newConversation([member], { access: ["invite", "code", "link"] });
    const code = await api("POST", `/v4/conversations/${group.id}/code`, { token: member.token, json: {} });
    await connectUsers(user, member);
    await deleteUser(user);
    const { token } = user;
    const { key, code: secret } = code.body.data;
    const attempts = await Promise.all([
      api("POST", "/conversations/self", { token }),
      api("GET", "/v5/conversations/mls-self", { token }),
      api("POST", "/v3/conversations/list-ids", { token, json: {} }),
      api("POST", "/v9/conversations", { token, json: {} }),
      api("POST", "/v9/conversations", { token, json: { protocol: "mls" } }),
      api("POST", "/v9/one2one-conversations", { token, json: { users: [member.id] } }),
      api("POST", "/conversations/join", { token, json: { key, code: secret } }),
      api("POST", `/conversations/${group.id}/join`, { token }),
      requestConnection(user, member),
    ]);
    expect(attempts.map(outcome)).toEqual([
      "404 not-found",
      "404 not-found",
      "404 not-found",
      "403 operation-denied",
      "403 operation-denied",
      "403 not-connected",
      "403 access-denied",
      "403 access-denied",
      "403 no-identity",
    ]);
    await untilGone(user);
    expect(await membersOf(group.id)).toEqual([member.id]);
    expect(await membersOf(oneToOneConversationId(user.id, member.id))).toEqual([member.id]);
  });

  it("is not in the conversation that a concurrent request creates", async () => {
    const pairs = await Promise.all(Array.from({ length: 5 }, () => Promise.all([newUser(), newUser()])));
    const connected = await Promise.all(
      pairs.map(async ([user, requester]) => {
        const [asked, , askedBack] = await Promise.all([
          requestConnection(requester, user),
          deleteUser(user),
          requestConnection(user, requester),
        ]);
        return [asked, askedBack].some(({ body }) => body.status === "accepted");
      }),
    );
    await Promise.all(pairs.map(([user]) => untilGone(user)));
    await eventually(async () => {
      for (const [index, [user, requester]] of pairs.entries()) {
        const conversationId = oneToOneConversationId(user.id, requester.id);
        if (connected[index]) expect(await membersOf(conversationId)).toEqual([requester.id]);
        else {
          expect(await store.get(conversationId)).toBeUndefined();
          expect(await store.listOfUser(requester.id, { limit: 1 })).toEqual([]);
        }
      }
    });
  });
});

describe.concurrent("a user who is suspended", () => {
  it("stays in all conversations, without an event", async () => {
    const [user, contact] = await Promise.all([newUser(), newUser()]);
    await connectUsers(user, contact);
    const group = await newConversation([contact, user]);
    const suspension = { json: { status: "suspended" } };
    expect((await internalApi("PUT", `/i/users/${user.id}/status`, suspension)).status).toBe(200);
    expect(await membersOf(group.id)).toContain(user.id);
    expect(await membersOf(oneToOneConversationId(user.id, contact.id))).toContain(user.id);
    expect(await leavesOf(contact)).toEqual([]);
  });
});

describe("the erasure of a user with many conversations", () => {
  let stack: OwnStack;
  let data: ReturnType<typeof conversationData>;
  beforeAll(async () => {
    stack = await stackWith({ outboxResendSeconds: 1 });
    data = conversationData(stack);
  });

  const isLeave = ({ service, action, body }: { service: string; action: string; body: string }) =>
    service === "dynamodb" && action === "TransactWriteItems" && body.includes("conversation.member-leave");

  it("continues where its worker died", async () => {
    const [user, member] = await Promise.all([newUser({}, stack), newUser({}, stack)]);
    const groups = await Promise.all(Array.from({ length: 40 }, () => data.newConversation([member, user])));
    let left = 0;
    const end = injectFaults((call) => (isLeave(call) && ++left > 12 ? "dies-after" : undefined));
    await deleteUser(user, stack);
    await eventually(() => expect(left).toBeGreaterThan(12));
    end();
    await untilGone(user, data.store);
    for (const { id } of groups) expect(await membersOf(id, data.store)).toEqual([member.id]);
    await eventually(async () => {
      const leaves = await storedEvents(member.token, "conversation.member-leave", stack.publicApi);
      expect(leaves.map(({ conversation }) => conversation).toSorted()).toEqual(
        groups.map(({ id }) => id).toSorted(),
      );
    });
  });

  it("continues with a further message when time runs out", async () => {
    // Without sweeps: when the time is up, the lease is over as well, and a sweep would have the order carried
    // out a second time.
    const sweptRarely = await stackWith({ outboxResendSeconds: 600 });
    const { newConversation: newGroup, store: stored } = conversationData(sweptRarely);
    const [user, member] = await Promise.all([newUser({}, sweptRarely), newUser({}, sweptRarely)]);
    await Promise.all(Array.from({ length: 20 }, () => newGroup([member, user])));
    let left = 0;
    const orders: string[] = [];
    const end = injectFaults((call) => {
      if (isLeave(call) && ++left === 3) sweptRarely.advance(100);
      const { action, body, isFirstAttempt } = call;
      const isOrder = body.includes('"erasures#') && body.includes(user.id) && isFirstAttempt;
      if (isOrder && ["TransactWriteItems", "PutItem"].includes(action))
        orders.push(body.includes("isSecondLook") ? "second look" : "erasure");
      return undefined;
    });
    await deleteUser(user, sweptRarely);
    await untilGone(user, stored);
    await eventually(() => expect(orders).toContain("second look"));
    expect(orders).toEqual(["erasure", "erasure", "second look"]);
    end();
  });

  it("does not finish while a conversation cannot be left, and tries that again", async () => {
    const [user, member] = await Promise.all([newUser({}, stack), newUser({}, stack)]);
    await connectUsers(user, member, stack);
    const groups = await Promise.all(Array.from({ length: 20 }, () => data.newConversation([member, user])));
    const [stuck] = groups.map(({ id }) => id).toSorted() as [string];
    const end = injectFaults((call) => (isLeave(call) && call.body.includes(stuck) ? "denied" : undefined));
    await deleteUser(user, stack);
    await eventually(async () => {
      expect(await data.store.listOfUser(user.id, { limit: 2 })).toMatchObject([{ conversationId: stuck }]);
      const { body } = await stack.publicApi("POST", "/list-connections", { token: member.token, json: {} });
      expect(body.connections).toEqual([]);
    });
    end();
    await untilGone(user, data.store);
  });

  it("looks a second time for additions by requests that had read the account before its deletion", async () => {
    const [user, member] = await Promise.all([newUser({}, stack), newUser({}, stack)]);
    await connectUsers(user, member, stack);
    await deleteUser(user, stack);
    await untilGone(user, data.store);
    const { id } = await data.newConversation([member, user]);
    // Stored in advance, by a request that died.
    const unfinished = crypto.randomUUID();
    await data.store.storeMembers({ conversationId: unfinished }, [
      { conversationId: unfinished, userId: user.id, role: "admin" },
    ]);
    await eventually(async () => {
      // Connections are removed last.
      const { body } = await stack.publicApi("POST", "/list-connections", { token: member.token, json: {} });
      expect(body.connections).toEqual([]);
    });
    expect(await membersOf(id, data.store)).toHaveLength(2);
    await eventually(async () => {
      const { outbox = [] } = await itemsMentioning(user.id, stack.prefix);
      expect(outbox.filter(({ payload }) => String(payload).includes("isSecondLook"))).toHaveLength(1);
    });
    stack.advance(62);
    await stack.invoke("outbox-sweeper", {});
    await untilGone(user, data.store);
    expect(await membersOf(id, data.store)).toEqual([member.id]);
    const { conversations = [] } = await itemsMentioning(user.id, stack.prefix);
    expect(conversations).toEqual([
      expect.objectContaining({ conversationId: oneToOneConversationId(user.id, member.id) }),
    ]);
  });
});
