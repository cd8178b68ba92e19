import { describeAudited, recordAudited, someIds } from "#shared/platform/audit/audited.ts";
import type { Clock } from "#shared/platform/clock.ts";
import { StaleReadError, type Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { type Item, Table } from "#shared/platform/data/table.ts";
import { type Conversation, type ConversationFields, conversationItem, timeAfter } from "./conversation.ts";
import {
  type ConversationEntry,
  type ConversationMember,
  conversationEntry,
  conversationMemberItem,
  isBot,
  type OwnSettings,
} from "./conversation-member.ts";

/** A user is not a member of the conversation. */
export class NotConversationMemberError extends Error {
  override readonly name = "NotConversationMemberError";
}

const partitionOf = (conversationId: string) => `conversation#${conversationId}`;
const recordKey = (conversationId: string) => ({
  owner: partitionOf(conversationId),
  entry: "conversation",
});
const memberPrefix = "member#";
const memberKey = ({ conversationId, userId }: Membership) => ({
  owner: partitionOf(conversationId),
  entry: `${memberPrefix}${userId}`,
});
const entryPrefix = "conversation#";
const listOf = (userId: string) => `user#${userId}`;
const entryKey = ({ conversationId, userId }: Membership) => ({
  owner: listOf(userId),
  entry: `${entryPrefix}${conversationId}`,
});
const teamListOf = (teamId: string) => `team#${teamId}`;
const teamEntryKey = ({ conversationId, teamId }: { conversationId: string; teamId: string }) => ({
  owner: teamListOf(teamId),
  entry: `${entryPrefix}${conversationId}`,
});

/** A user as a member of a conversation. */
export type Membership = Pick<ConversationMember, "conversationId" | "userId">;

/** A conversation with all its members. */
export interface PopulatedConversation {
  readonly conversation: Conversation;
  /** In the order of their ids. */
  readonly members: readonly ConversationMember[];
}

/** Conversation and members, for the record in the audit trail. */
function auditMembers(
  cid: string,
  { joined, left }: Readonly<Record<"joined" | "left", readonly Membership[]>>,
): void {
  const idsOf = (members: readonly Membership[]) =>
    members.length === 0 ? undefined : someIds(members.map(({ userId }) => userId));
  describeAudited({ target: { cid, joined: idsOf(joined), left: idsOf(left) } });
  if (joined.length + left.length > 0) recordAudited();
}

/** The change of a conversation in one transaction. */
export interface ConversationChange {
  readonly fields?: ConversationFields;
  readonly joining?: readonly ConversationMember[];
  readonly leaving?: readonly (Membership & Pick<ConversationMember, "service">)[];
  /** Present members with a new role. */
  readonly updated?: readonly ConversationMember[];
}

/** A page of a list, in the order of the conversations' ids. */
export interface ListPage {
  /** The conversation after which to start; absent: start with the first. */
  readonly after?: string;
  readonly limit: number;
}

/**
 * Conversations and their members. Access patterns: conversation by id; with all its members; member by conversation
 * and user; conversations of a user, and of a team, in the order of their ids.
 *
 * A membership has two items: one with the conversation, which holds everything, and one in the user's list. A change
 * of a conversation or its members requires that neither has changed since the read, so whoever was read as a member is
 * still one at the commit. The store does not limit the number of members.
 */
export class ConversationStore {
  readonly #table: Table<"conversations">;
  readonly #clock: Clock;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "conversations");
    this.#clock = context.clock;
  }

  /** Deleted conversations are unknown. */
  async get(conversationId: string): Promise<Conversation | undefined> {
    return toConversation(await this.#table.get(recordKey(conversationId)));
  }

  async getMember(membership: Membership): Promise<ConversationMember | undefined> {
    const item = await this.#table.get(memberKey(membership));
    return item && conversationMemberItem.parse(item);
  }

  /**
   * A conversation with all its members; undefined when it is unknown or deleted. Repeats a query that has seen only
   * part of a transaction.
   */
  async getPopulated(conversationId: string): Promise<PopulatedConversation | undefined> {
    for (let read = 1; ; read++) {
      let conversation: Conversation | undefined;
      const members: ConversationMember[] = [];
      for await (const item of this.#table.query(partitionOf(conversationId))) {
        if (String(item.entry).startsWith(memberPrefix)) members.push(conversationMemberItem.parse(item));
        else conversation = toConversation(item);
      }
      const found = conversation && { conversation, members };
      if (found === undefined || isWhole(found) || read === maxReads) return found;
    }
  }

  /** The bots among the members of a conversation, which may be deleted. */
  async *botsOf(conversationId: string): AsyncGenerator<ConversationMember> {
    const bots = this.#table.query(partitionOf(conversationId), {
      range: "begins_with(entry, :members)",
      FilterExpression: "attribute_exists(service)",
      ExpressionAttributeValues: { ":members": memberPrefix },
    });
    for await (const item of bots) yield conversationMemberItem.parse(item);
  }

  /**
   * A conversation whose members are all among these users, with its members.
   * @throws StaleReadError when a change happened during the read
   */
  async getPopulatedBy(
    conversationId: string,
    userIds: readonly string[],
  ): Promise<PopulatedConversation | undefined> {
    const [conversation, ...members] = await Promise.all([
      this.get(conversationId),
      ...userIds.map((userId) => this.getMember({ conversationId, userId })),
    ]);
    const found = conversation && { conversation, members: members.filter((one) => one !== undefined) };
    if (found && !isWhole(found)) throw new StaleReadError(`conversation ${conversationId}`);
    return found;
  }

  /** A page of a user's conversations; some may meanwhile be deleted. */
  async listOfUser(userId: string, { after, limit }: ListPage): Promise<ConversationEntry[]> {
    const { Items = [] } = await this.#table.page(listOf(userId), {
      Limit: limit,
      ExclusiveStartKey: after === undefined ? undefined : entryKey({ conversationId: after, userId }),
    });
    return Items.map((item) => conversationEntry.parse(item));
  }

  /** All conversations of a user, page by page. */
  async *ofUser(userId: string): AsyncGenerator<ConversationEntry> {
    for await (const item of this.#table.query(listOf(userId))) yield conversationEntry.parse(item);
  }

  /** A page of a team's conversations, whoever is in them. */
  async listOfTeam(teamId: string, { after, limit }: ListPage): Promise<ConversationEntry[]> {
    const { Items = [] } = await this.#table.page(teamListOf(teamId), {
      Limit: limit,
      ExclusiveStartKey: after === undefined ? undefined : teamEntryKey({ conversationId: after, teamId }),
    });
    return Items.map((item) => conversationEntry.parse(item));
  }

  /** All conversations of a team, page by page. */
  async *ofTeam(teamId: string): AsyncGenerator<ConversationEntry> {
    for await (const item of this.#table.query(teamListOf(teamId))) yield conversationEntry.parse(item);
  }

  /** Create a conversation. Rejected as `StaleReadError` when its id is taken, even by a deleted one. */
  create(
    conversation: Omit<Conversation, "revision" | "memberCount">,
    members: readonly ConversationMember[],
  ): Write[] {
    const created: Conversation = { ...conversation, revision: 1, memberCount: members.length };
    auditMembers(conversation.conversationId, { joined: members, left: [] });
    return [...this.createRecord(created), ...members.flatMap((member) => this.#putMember(created, member))];
  }

  /** Condition that no conversation has an id. Rejected as `StaleReadError`. */
  requireUnknown(conversationId: string): Write {
    return this.#table.requireWrite(recordKey(conversationId), {
      ConditionExpression: "attribute_not_exists(revision)",
    });
  }

  /** Create a conversation whose members `storeMembers` has stored. Rejected like `create`. */
  createRecord(conversation: Conversation): Write[] {
    const { conversationId, teamId } = conversation;
    describeAudited({ target: { cid: conversationId } });
    const entry: ConversationEntry = { conversationId, teamId };
    return [
      this.#table.putWrite(
        { ...recordKey(conversationId), ...conversation },
        { ConditionExpression: "attribute_not_exists(revision)" },
      ),
      ...(teamId === undefined
        ? []
        : [this.#table.putWrite({ ...teamEntryKey({ conversationId, teamId }), ...entry })]),
    ];
  }

  /**
   * Store the members of a conversation that does not exist yet, invisibly to readers. Enqueue the job `undo-creation`
   * first: the function may die before the conversation is created.
   */
  async storeMembers(
    conversation: Pick<Conversation, "conversationId" | "teamId">,
    members: readonly ConversationMember[],
  ): Promise<void> {
    await this.#table.putMany(members.flatMap((member) => toItems(conversation, member)));
  }

  /**
   * Change a conversation and its members. Rejected as `StaleReadError` when either has changed since it was read.
   * @returns the conversation after the change; its `changedAt` is the time of the event
   */
  change(
    previous: Conversation,
    { fields = {}, joining = [], leaving = [], updated = [] }: ConversationChange,
  ): { next: Conversation; writes: Write[] } {
    const next: Conversation = {
      ...previous,
      ...fields,
      revision: previous.revision + 1,
      memberCount: previous.memberCount + joining.length - leaving.length,
      ...departedAfter(previous, { joining, leaving }),
      changedAt: timeAfter(previous, this.#clock()),
    };
    auditMembers(previous.conversationId, { joined: joining, left: leaving });
    const writes = [
      this.#table.putWrite(
        { ...recordKey(previous.conversationId), ...next },
        { atRevision: previous.revision },
      ),
      ...joining.flatMap((member) => this.#addMember(previous, member)),
      ...leaving.flatMap((membership) => this.#removeMember(membership)),
      ...updated.map(({ role, ...membership }) => this.#changeRole(membership, role)),
    ];
    return { next, writes };
  }

  /**
   * Remove a conversation with its last members, who are too few to need a job. Rejected as `StaleReadError` when
   * either has changed since it was read.
   */
  remove({ conversation, members }: PopulatedConversation): Write[] {
    const { conversationId, teamId, revision } = conversation;
    return [
      this.#table.deleteWrite(recordKey(conversationId), { atRevision: revision }),
      ...(teamId === undefined ? [] : [this.#table.deleteWrite(teamEntryKey({ conversationId, teamId }))]),
      ...members.flatMap((member) => this.removeRows(member)),
    ];
  }

  /** Remove a membership in a conversation that no longer exists. */
  removeRows(membership: Membership): Write[] {
    return [this.#table.deleteWrite(memberKey(membership)), this.#table.deleteWrite(entryKey(membership))];
  }

  /** Require that a user is a member of a conversation that exists. Rejected as `StaleReadError`. */
  requireMember(membership: Membership): Write[] {
    return [
      this.#table.requireWrite(recordKey(membership.conversationId), {
        ConditionExpression: "attribute_exists(revision) AND attribute_not_exists(isDeleted)",
      }),
      this.#table.requireWrite(memberKey(membership), { ConditionExpression: "attribute_exists(entry)" }),
    ];
  }

  /** Change a member's own settings. Rejected as `NotConversationMemberError`. */
  changeOwnSettings(membership: Membership, settings: OwnSettings): Write {
    const names = Object.keys(settings);
    return this.#table.updateWrite(memberKey(membership), {
      UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(", ")}`,
      ConditionExpression: "attribute_exists(entry)",
      ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: Object.fromEntries(
        Object.entries(settings).map(([name, value]) => [`:${name}`, value]),
      ),
      onRejected: () => new NotConversationMemberError(membership.userId),
    });
  }

  /**
   * Mark a conversation as deleted: from then on it is unknown, and not in the list of its team. `eraseRows` removes
   * its other rows. Rejected as `StaleReadError` when it has changed since it was read.
   */
  bury(previous: Conversation): { next: Conversation; writes: Write[] } {
    const { conversationId, teamId } = previous;
    const { next, writes } = this.change(previous, { fields: { isDeleted: true } });
    const fromTeam =
      teamId === undefined ? [] : [this.#table.deleteWrite(teamEntryKey({ conversationId, teamId }))];
    return { next, writes: [...writes, ...fromTeam] };
  }

  /**
   * Remove what is stored of a conversation that is deleted or was never created. May be repeated.
   * @param conversation.teamId team that owns it, if any
   */
  async eraseRows({
    conversationId,
    teamId,
  }: Pick<Conversation, "conversationId" | "teamId">): Promise<void> {
    const pages = this.#table.pages(partitionOf(conversationId), {
      range: "begins_with(entry, :members)",
      ExpressionAttributeValues: { ":members": memberPrefix },
      ProjectionExpression: "entry",
    });
    for await (const { Items = [] } of pages) {
      const userIds = Items.map(({ entry }) => String(entry).slice(memberPrefix.length));
      await this.eraseMembers(conversationId, userIds);
    }
    if (teamId !== undefined) await this.#table.delete(teamEntryKey({ conversationId, teamId }));
    await this.#table.delete(recordKey(conversationId));
  }

  /** Remove members of a conversation that is deleted or was never created. May be repeated. */
  async eraseMembers(conversationId: string, userIds: readonly string[]): Promise<void> {
    const memberships = userIds.map((userId) => ({ conversationId, userId }));
    await this.#table.deleteMany(memberships.map(entryKey));
    await this.#table.deleteMany(memberships.map(memberKey));
  }

  #putMember(conversation: Pick<Conversation, "conversationId" | "teamId">, member: ConversationMember) {
    return toItems(conversation, member).map((item) => this.#table.putWrite(item));
  }

  /** The record alone does not show whether its query saw all members. */
  #addMember(conversation: Conversation, member: ConversationMember): Write[] {
    const [row, entry] = toItems(conversation, member);
    const isNew = { ConditionExpression: "attribute_not_exists(entry)" };
    return [this.#table.putWrite(row, isNew), this.#table.putWrite(entry)];
  }

  /** As for joining: of two concurrent removals of a member, one succeeds. */
  #removeMember(membership: Membership): Write[] {
    const isThere = { ConditionExpression: "attribute_exists(entry)" };
    return [
      this.#table.deleteWrite(memberKey(membership), isThere),
      this.#table.deleteWrite(entryKey(membership)),
    ];
  }

  /** Only the role, because other functions may change the member's own settings concurrently. */
  #changeRole(membership: Membership, role: ConversationMember["role"]): Write {
    return this.#table.updateWrite(memberKey(membership), {
      UpdateExpression: "SET #role = :role",
      ConditionExpression: "attribute_exists(entry)",
      ExpressionAttributeNames: { "#role": "role" },
      ExpressionAttributeValues: { ":role": role },
    });
  }
}

/** Largest number of departed users that a conversation keeps: it is read for every message. */
const maxDeparted = 200;

/** In a conversation of two users, the members decide who gets messages. Bots have no devices in MLS groups. */
function departedAfter(
  { type, group, departed = [] }: Conversation,
  { joining, leaving }: Required<Pick<ConversationChange, "joining" | "leaving">>,
): Pick<ConversationFields, "departed"> {
  if (group === undefined || type !== "regular" || joining.length + leaving.length === 0) return {};
  const joined = new Set(joining.map(({ userId }) => userId));
  const leavers = leaving.filter((member) => !isBot(member));
  const users = new Set([...departed, ...leavers.map(({ userId }) => userId)]);
  const remaining = [...users].filter((userId) => !joined.has(userId)).slice(-maxDeparted);
  return { departed: remaining.length > 0 ? remaining : undefined };
}

/** Both items of a membership. */
function toItems(
  { conversationId, teamId }: Pick<Conversation, "conversationId" | "teamId">,
  member: ConversationMember,
) {
  const entry: ConversationEntry = { conversationId, teamId };
  return [
    { ...memberKey(member), ...member },
    { ...entryKey(member), ...entry },
  ] as const;
}

/** Attempts to read a conversation while it changes: each change takes milliseconds to become wholly visible. */
const maxReads = 3;

/** Whether the members are those that the record counts. */
const isWhole = ({ conversation, members }: PopulatedConversation) =>
  members.length === conversation.memberCount;

function toConversation(item: Item | undefined): Conversation | undefined {
  const conversation = item && conversationItem.parse(item);
  return conversation?.isDeleted ? undefined : conversation;
}
