import { randomUUID } from "node:crypto";
import type { Conversation } from "#shared/conversations/conversation.ts";
import type { ConversationRole } from "#shared/conversations/conversation-roles.ts";
import { ConversationStore } from "#shared/conversations/conversation-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { transact, type Write } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { stackConfig } from "./events.ts";
import type { Team } from "./teams.ts";
import type { User } from "./users.ts";

/** Access the stored conversations of a stack, bypassing its API. */
export function conversationData({ prefix = "test" }: { prefix?: string } = {}) {
  const config = stackConfig(prefix);
  const dynamo = createDynamo();
  const store = new ConversationStore({ dynamo, config, clock: systemClock });
  return {
    store,
    write: (writes: readonly Write[]) => transact(dynamo, writes),
    /** Create a group with members, of whom the first is its creator; the roles of the others may be given by id. */
    async newConversation(
      members: readonly Pick<User, "id">[],
      {
        team,
        roles = {},
        ...fields
      }: Partial<Conversation> & {
        team?: Pick<Team, "id">;
        roles?: Readonly<Record<string, ConversationRole>>;
      } = {},
    ): Promise<{ id: string }> {
      const conversationId = randomUUID();
      const now = systemClock();
      const conversation = {
        conversationId,
        type: "regular",
        groupType: "group_conversation",
        protocol: "proteus",
        creator: members[0]?.id,
        access: ["invite"],
        accessRoles: ["team_member", "non_team_member", "service"],
        teamId: team?.id,
        cellsState: "disabled",
        createdAt: now,
        changedAt: now,
        ...fields,
      } as const satisfies Partial<Conversation>;
      const rows = members.map(({ id: userId }) => ({
        conversationId,
        userId,
        role: roles[userId] ?? ("admin" as const),
      }));
      await store.storeMembers(conversation, rows);
      await transact(dynamo, store.createRecord({ ...conversation, revision: 1, memberCount: rows.length }));
      return { id: conversationId };
    },
  };
}

const shared = conversationData();

/** Create a group in the shared stack, directly in the tables: its members get no event. */
export const newConversation = shared.newConversation;
