import * as z from "zod";
import type { Clock } from "#shared/platform/clock.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { declareItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { Table } from "#shared/platform/data/table.ts";
import { type GroupState, timeAfter } from "./conversation.ts";
import { type Subconversation, subconversationItem } from "./subconversation.ts";

/** Which subconversation of which conversation. */
export type SubconversationKey = Pick<Subconversation, "conversationId" | "subconversationId">;

const partitionOf = (conversationId: string) => `subconversations#${conversationId}`;
const entryPrefix = "subconversation#";
const keyOf = ({ conversationId, subconversationId }: SubconversationKey) => ({
  owner: partitionOf(conversationId),
  entry: `${entryPrefix}${subconversationId}`,
});
const countKey = (conversationId: string) => ({ owner: partitionOf(conversationId), entry: "count" });

/**
 * Subconversations that a conversation may have, including those that were reset: a job that removes a user or device
 * reads each of them, and clients need one for calls.
 */
export const maxSubconversations = 100;

declareItem(
  {
    table: "conversations",
    kind: "subconversation-count",
    key: ["subconversations#*", "count"],
    subject: { nobody: "a count" },
  },
  storedObject({ subconversations: z.int() }),
);

/**
 * Records of subconversations; the state of their groups is in `GroupStore`. Access patterns: by conversation and id;
 * all of a conversation. They have a partition of their own, so that reading a conversation does not read them; it also
 * has their number.
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

  /** Whether a conversation may have another one. */
  async hasRoom(conversationId: string): Promise<boolean> {
    const { subconversations = 0 } = (await this.#table.get(countKey(conversationId))) ?? {};
    return Number(subconversations) < maxSubconversations;
  }

  /**
   * Change the state of the group, or store the subconversation with it. Rejected as `StaleReadError` when it has
   * changed since it was read, so that of a commit and a reset one succeeds, and when there is no room for another one.
   */
  change(previous: Subconversation, group: GroupState): { next: Subconversation; writes: Write[] } {
    const next: Subconversation = {
      ...previous,
      group,
      revision: previous.revision + 1,
      changedAt: timeAfter(previous, this.#clock()),
    };
    const write = this.#table.putWrite({ ...keyOf(previous), ...next }, { atRevision: previous.revision });
    return { next, writes: previous.revision === 0 ? [write, this.#countWrite(previous)] : [write] };
  }

  #countWrite({ conversationId }: Pick<Subconversation, "conversationId">): Write {
    return this.#table.updateWrite(countKey(conversationId), {
      UpdateExpression: "ADD subconversations :one",
      ConditionExpression: "attribute_not_exists(subconversations) OR subconversations < :max",
      ExpressionAttributeValues: { ":one": 1, ":max": maxSubconversations },
    });
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
