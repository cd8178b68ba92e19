import * as z from "zod";
import type { Clock } from "#shared/platform/clock.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { Table } from "#shared/platform/data/table.ts";
import { type GroupState, timeAfter } from "./conversation.ts";
import { parseGroupId } from "./group-id.ts";
import { type Subconversation, subconversationItem } from "./subconversation.ts";

/** Names a subconversation of a conversation. */
export type SubconversationKey = Pick<Subconversation, "conversationId" | "subconversationId">;

const partitionOf = (conversationId: string) => `subconversations#${conversationId}`;
const entryPrefix = "subconversation#";
const keyOf = ({ conversationId, subconversationId }: SubconversationKey) => ({
  owner: partitionOf(conversationId),
  entry: `${entryPrefix}${subconversationId}`,
});
const countKey = (conversationId: string) => ({ owner: partitionOf(conversationId), entry: "count" });

/** Maximum number of subconversations in use at a time; clients need one for calls. */
export const maxSubconversations = 100;
/**
 * Maximum number of stored subconversations, including those that were reset; a job that removes a user or device reads
 * each.
 */
const maxStored = 200;
/** Number of reset subconversations that are removed together, so that the first generation rarely changes. */
const removedTogether = 50;

const countItem = storedItem(
  {
    table: "conversations",
    kind: "subconversation-count",
    key: ["subconversations#*", "count"],
    subject: { nobody: "a count" },
  },
  storedObject({
    /** Number of subconversations with devices when the last one began. */
    subconversations: z.int(),
    /** Increases whenever one begins. */
    revision: z.int().optional(),
    /** Generation of the groups of subconversations that are not stored; absent: 0. */
    firstGeneration: z.int().optional(),
  }),
);

/** The subconversations of a conversation; of each kind, the one that changed least recently is first. */
export interface Survey {
  readonly conversationId: string;
  /** Those that have devices, or had some when the last commit was made. */
  readonly living: readonly Subconversation[];
  /** Those that were reset and have had no commit since. */
  readonly reset: readonly Subconversation[];
  readonly count: Stored<typeof countItem> | undefined;
}

/**
 * Records of subconversations; the state of their groups is in `GroupStore`. Access patterns: by conversation and id;
 * all of a conversation. They have a partition of their own, so that reading a conversation does not read them; it also
 * has their number. One that was reset stays, because its next group needs another id. When there are too many, some
 * are removed, and the generation of all that are not stored increases.
 */
export class SubconversationStore {
  readonly #table: Table<"conversations">;
  readonly #clock: Clock;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "conversations");
    this.#clock = context.clock;
  }

  /** Undefined before the first commit. */
  async get(key: SubconversationKey): Promise<Subconversation | undefined> {
    const item = await this.#table.get(keyOf(key));
    return item && subconversationItem.parse(item);
  }

  /** The generation of the groups of a conversation's subconversations that are not stored. */
  async firstGeneration(conversationId: string): Promise<number> {
    return (await this.#getCount(conversationId))?.firstGeneration ?? 0;
  }

  async #getCount(conversationId: string) {
    const item = await this.#table.get(countKey(conversationId));
    return item && countItem.parse(item);
  }

  /** All of a conversation, in the order of their ids, page by page. @param after id after which to start */
  async *ofConversation(conversationId: string, after?: string): AsyncGenerator<Subconversation> {
    const ExclusiveStartKey =
      after === undefined ? undefined : keyOf({ conversationId, subconversationId: after });
    const range = {
      range: "begins_with(entry, :prefix)",
      ExpressionAttributeValues: { ":prefix": entryPrefix },
    };
    for await (const item of this.#table.query(partitionOf(conversationId), { ...range, ExclusiveStartKey }))
      yield subconversationItem.parse(item);
  }

  /** Read the data that decide whether a conversation may have another one. */
  async survey(conversationId: string): Promise<Survey> {
    const counting = this.#getCount(conversationId);
    const all: Subconversation[] = [];
    for await (const one of this.ofConversation(conversationId)) all.push(one);
    all.sort((one, other) => one.changedAt - other.changedAt);
    const { living = [], reset = [] } = Object.groupBy(all, isLiving);
    return { conversationId, living, reset, count: await counting };
  }

  /**
   * Count a subconversation that a commit begins. Rejected as `StaleReadError` when another one has begun since the
   * count was read, so that there are never more than `maxSubconversations`.
   * @param ended living ones that the same transaction resets
   */
  begin(
    { conversationId, living, reset, count }: Survey,
    begun: Pick<Subconversation, "subconversationId">,
    ended: number,
  ): Write[] {
    const { revision = 0, firstGeneration = 0 } = count ?? {};
    const others = reset.filter(({ subconversationId }) => subconversationId !== begun.subconversationId);
    const removed = living.length + reset.length < maxStored ? [] : others.slice(0, removedTogether);
    const next: Stored<typeof countItem> = {
      ...count,
      subconversations: living.length - ended + 1,
      revision: revision + 1,
      firstGeneration: Math.max(firstGeneration, ...removed.map(generationOf)),
    };
    return [
      this.#table.putWrite({ ...countKey(conversationId), ...next }, { atRevision: revision }),
      ...removed.map((one) => this.#table.deleteWrite(keyOf(one), { atRevision: one.revision })),
    ];
  }

  /**
   * Change the state of the group, or store the subconversation with it. Rejected as `StaleReadError` when it has
   * changed since it was read, so that of a commit and a reset one succeeds.
   */
  change(previous: Subconversation, group: GroupState): { next: Subconversation; writes: Write[] } {
    const next: Subconversation = {
      ...previous,
      group,
      revision: previous.revision + 1,
      changedAt: timeAfter(previous, this.#clock()),
    };
    const write = this.#table.putWrite({ ...keyOf(previous), ...next }, { atRevision: previous.revision });
    return { next, writes: [write] };
  }

  /** Remove a subconversation of a conversation that is deleted. May be repeated. */
  erase(key: SubconversationKey): Promise<void> {
    return this.#table.delete(keyOf(key));
  }

  /** Remove their number, after all of them. May be repeated. */
  eraseCount(conversationId: string): Promise<void> {
    return this.#table.delete(countKey(conversationId));
  }
}

const isLiving = ({ group }: Subconversation) => (group.epoch > 0 ? "living" : "reset");

const generationOf = ({ group }: Subconversation): number =>
  parseGroupId(Buffer.from(group.groupId, "base64"))?.generation ?? 0;
