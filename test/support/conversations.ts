import { randomUUID } from "node:crypto";
import type { Conversation } from "#shared/conversations/conversation.ts";
import type { ConversationMember } from "#shared/conversations/conversation-member.ts";
import type { ConversationRole } from "#shared/conversations/conversation-roles.ts";
import { ConversationStore } from "#shared/conversations/conversation-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { batchPut } from "#shared/platform/data/batch-write.ts";
import { transact, type Write } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { type ApiAnswer, api } from "./api.ts";
import { localDomain } from "./connections.ts";
import { stackConfig } from "./stack-config.ts";
import type { Team } from "./teams.ts";
import type { Apis, User } from "./users.ts";

type GroupFields = Partial<Conversation> & {
  readonly team?: Pick<Team, "id">;
  /** By member id; by default, all members are admins. */
  readonly roles?: Readonly<Record<string, ConversationRole>>;
  /** By the member id of each bot. */
  readonly services?: Readonly<Record<string, ConversationMember["service"]>>;
};

/** Access the stored conversations of a stack, bypassing its API. */
export function conversationData({ prefix = "test" }: { prefix?: string } = {}) {
  const config = stackConfig(prefix);
  const dynamo = createDynamo();
  const store = new ConversationStore({ dynamo, config, clock: systemClock });

  const toGroup = (
    members: readonly Pick<User, "id">[],
    { team, roles = {}, services = {}, ...fields }: GroupFields,
  ) => {
    const conversationId = randomUUID();
    const now = systemClock();
    const conversation: Omit<Conversation, "revision" | "memberCount"> = {
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
    };
    const rows = members.map(
      ({ id: userId }): ConversationMember => ({
        conversationId,
        userId,
        role: roles[userId] ?? "admin",
        service: services[userId],
      }),
    );
    return { conversation, rows };
  };

  return {
    store,
    write: (writes: readonly Write[]) => transact(dynamo, writes),
    /** Create a group with members; the first one is its creator. */
    async newConversation(
      members: readonly Pick<User, "id">[],
      fields: GroupFields = {},
    ): Promise<{ id: string }> {
      const { conversation, rows } = toGroup(members, fields);
      const { conversationId } = conversation;
      await store.storeMembers(conversation, rows);
      await transact(dynamo, store.createRecord({ ...conversation, revision: 1, memberCount: rows.length }));
      return { id: conversationId };
    },
    /** Create many groups with the same members, fast. @returns their ids in ascending order */
    async newConversations(
      count: number,
      members: readonly Pick<User, "id">[],
      fields: GroupFields = {},
    ): Promise<string[]> {
      const groups = Array.from({ length: count }, () => toGroup(members, fields));
      const items = groups
        .flatMap(({ conversation, rows }) => store.create(conversation, rows))
        .flatMap(({ item }) => (item.Put?.Item === undefined ? [] : [item.Put.Item]));
      await batchPut(dynamo, { tableName: config.tableName("conversations"), items });
      return groups.map(({ conversation }) => conversation.conversationId).sort();
    },
  };
}

const shared = conversationData();

/** Create a group in the shared stack, directly in the tables: its members get no event. */
export const newConversation = shared.newConversation;
export const newConversations = shared.newConversations;

/** Qualified ids of users, as requests contain them. */
export const qualified = (...users: readonly Pick<User, "id">[]) =>
  users.map(({ id }) => ({ domain: localDomain, id }));

/** Create a group through the API, with these users and further fields of the request. */
export const createConversation = (
  { token }: Pick<User, "token">,
  {
    with: users = [],
    in: team,
    version = 9,
    ...fields
  }: {
    readonly with?: readonly Pick<User, "id">[];
    readonly in?: Pick<Team, "id">;
    readonly version?: number;
    readonly [field: string]: unknown;
  } = {},
  { publicApi }: Pick<Apis, "publicApi"> = { publicApi: api },
): Promise<ApiAnswer> =>
  publicApi("POST", `/v${version}/conversations`, {
    token,
    json: { qualified_users: qualified(...users), ...(team && { team: { teamid: team.id } }), ...fields },
  });
