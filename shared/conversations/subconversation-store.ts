import type { Clock } from "#shared/platform/clock.ts";
import { isAtRevision, StaleReadError, type Write } from "#shared/platform/data/conditions.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import { Table } from "#shared/platform/data/table.ts";
import { type GroupState, timeAfter } from "./conversation.ts";
import { type Subconversation, subconversationItem } from "./subconversation.ts";

/** Which subconversation of which conversation. */
export type SubconversationKey = Pick<Subconversation, "conversationId" | "subconversationId">;

const partitionOf = (conversationId: string) => `subconversations#${conversationId}`;
const keyOf = ({ conversationId, subconversationId }: SubconversationKey) => ({
  owner: partitionOf(conversationId),
  entry: `subconversation#${subconversationId}`,
});

/**
 * Records of subconversations; the state of their groups is in `GroupStore`. Access patterns: by conversation and id;
 * all of a conversation. They have a partition of their own, so that reading a conversation does not read them.
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
    for await (const item of this.#table.query(partitionOf(conversationId), { ExclusiveStartKey }))
      yield subconversationItem.parse(item);
  }

  /**
   * Change the state of the group, or store the subconversation with it. Rejected as `StaleReadError` when it has
   * changed since it was read: of a commit and a reset, one succeeds.
   */
  change(previous: Subconversation, group: GroupState): { next: Subconversation; writes: Write[] } {
    const next: Subconversation = {
      ...previous,
      group,
      revision: previous.revision + 1,
      changedAt: timeAfter(previous, this.#clock()),
    };
    const write = this.#table.putWrite(
      { ...keyOf(previous), ...next },
      {
        ...isAtRevision(previous.revision),
        onRejected: () => new StaleReadError(`subconversation of ${previous.conversationId}`),
      },
    );
    return { next, writes: [write] };
  }

  /** Remove a subconversation of a conversation that is deleted. May be repeated. */
  erase(key: SubconversationKey): Promise<void> {
    return this.#table.delete(keyOf(key));
  }
}
