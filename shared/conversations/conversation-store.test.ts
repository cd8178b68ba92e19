import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Config } from "#shared/platform/config.ts";
import { StaleReadError, transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import type { Conversation } from "./conversation.ts";
import type { ConversationMember } from "./conversation-member.ts";
import { ConversationStore, type PopulatedConversation } from "./conversation-store.ts";
import { newConversation } from "./new-conversation.ts";

const dynamo = createDynamo();
const config = { tableName: (name) => `test-${name}` } as Config;
const clock = () => Date.UTC(2026, 0, 31);
const store = new ConversationStore({ dynamo, config, clock });

/** Create a conversation with a number of members. */
async function newGroup(size: number): Promise<PopulatedConversation> {
  const members = Array.from({ length: size }, () => ({ userId: randomUUID(), role: "admin" as const }));
  const group = newConversation(
    { conversationId: randomUUID(), type: "regular", members },
    { clock, settings: { domain: "example.org" } },
  );
  await transact(dynamo, store.create(group.conversation, group.members));
  return group;
}

const memberOf = (group: PopulatedConversation, index: number): ConversationMember => {
  const member = group.members[index];
  if (member === undefined) throw new Error("There is no such member");
  return member;
};

const idsIn = (found: PopulatedConversation | undefined) => found?.members.map(({ userId }) => userId);

/** A query may show the record of a change without its members, or the reverse. */
describe.concurrent("the store of conversations", () => {
  it("refuses to remove a user who is not a member, or to add one who is", async () => {
    const group = await newGroup(2);
    const { conversation } = group;
    const stranger = { ...memberOf(group, 0), userId: randomUUID() };
    for (const change of [{ leaving: [stranger] }, { joining: [memberOf(group, 1)] }]) {
      await expect(transact(dynamo, store.change(conversation, change).writes)).rejects.toThrow(
        StaleReadError,
      );
    }
    expect(await store.getPopulated(conversation.conversationId)).toMatchObject({
      conversation: { revision: 1, memberCount: 2 },
    });
  });

  it("names who has left a conversation with an MLS group, the latest ones, until they return", async () => {
    const group = await newGroup(1);
    const member = memberOf(group, 0);
    const leaving = [{ ...member, conversationId: group.conversation.conversationId }];
    const named = (before: Conversation, change: Parameters<typeof store.change>[1]) =>
      store.change(before, change).next;
    const left = named({ ...group.conversation, group: { groupId: "AAEC", epoch: 1 } }, { leaving });
    expect(left.departed).toEqual([member.userId]);
    expect(named(left, { fields: { name: "Kitchen" } }).departed).toEqual([member.userId]);
    expect(named(left, { joining: [member] }).departed).toBeUndefined();
    expect(named(group.conversation, { leaving }).departed).toBeUndefined();
    const bot = { conversationId: "", userId: randomUUID(), service: { id: "", provider: "" } };
    expect(named(left, { leaving: [bot] }).departed).toEqual([member.userId]);

    const many = Array.from({ length: 250 }, () => ({ conversationId: "", userId: randomUUID() }));
    expect(named(left, { leaving: many }).departed).toEqual(many.slice(-200).map(({ userId }) => userId));
  });

  it("reads again after it has seen only a part of a change", async () => {
    const group = await newGroup(3);
    const { conversationId } = group.conversation;
    const { item } = store.removeRows(memberOf(group, 2))[0] ?? {};
    const rest = group.members.slice(0, 2).map(({ userId }) => userId);
    const observed = createDynamo();
    let reads = 0;
    observed.middlewareStack.add(
      (next) => async (input) => {
        // The member has been removed from the record, and now from the members, too.
        if (++reads === 2 && item !== undefined) await transact(dynamo, [{ item }]);
        return next(input);
      },
      { step: "initialize" },
    );
    const { writes } = store.change(group.conversation, { leaving: [memberOf(group, 2)] });
    await transact(dynamo, writes.slice(0, 1));
    const found = await new ConversationStore({ dynamo: observed, config, clock }).getPopulated(
      conversationId,
    );
    expect({ reads, ids: idsIn(found) }).toEqual({ reads: 2, ids: rest.toSorted() });
  });

  it("does not take a partly visible change for a one-to-one conversation", async () => {
    const group = await newGroup(2);
    const { conversationId } = group.conversation;
    const userIds = group.members.map(({ userId }) => userId);
    expect((await store.getPopulatedBy(conversationId, userIds))?.members).toHaveLength(2);
    // The second member has been removed, but is still counted in the record that was read.
    await transact(dynamo, store.removeRows(memberOf(group, 1)));
    await expect(store.getPopulatedBy(conversationId, userIds)).rejects.toThrow(StaleReadError);
  });
});
