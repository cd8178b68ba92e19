import type { StoreContext } from "../data/store-context.ts";
import { Table } from "../data/table.ts";
import { parseExactJson } from "../exact-json.ts";
import type { QueueName } from "../product.ts";
import { laneOf, type OutboxKey } from "./outbox-item.ts";

/** Maximum number of pages of 1 MB to read: a stage that keeps up has no more in flight. */
const maxPages = 200;

/** A message that its worker has not completed. */
export interface PendingMessage {
  readonly messageId: string;
  /** Undefined for one that is too large for its item. */
  readonly payload: unknown;
}

/**
 * The open work of queues without order. Every message is in the outbox from the commit of its change until its worker
 * has completed it, so missing messages are done. The queue's own counts are approximate, and lack unsent messages.
 * Parked messages are not among them. It scans, as `OutboxSweep` does.
 */
export class PendingMessages {
  readonly #table: Table<"outbox">;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "outbox");
  }

  /**
   * Messages of a queue, in no order: all that were committed before this is called, unless they are completed
   * meanwhile.
   * @throws Error when there are too many messages to read
   */
  async *of(queue: QueueName): AsyncGenerator<PendingMessage> {
    let start: Awaited<ReturnType<Table<"outbox">["scanPage"]>>["next"];
    for (let page = 0; page < maxPages; page++) {
      const { items, next } = await this.#table.scanPage({
        ConsistentRead: true,
        ExclusiveStartKey: start,
        FilterExpression: "begins_with(lane, :lanes)",
        ExpressionAttributeValues: { ":lanes": laneOf(queue, "") },
        ProjectionExpression: "lane, messageId, payload",
      });
      for (const item of items) yield toPending(item as OutboxKey & { payload?: string });
      if (next === undefined) return;
      start = next;
    }
    throw new Error("The outbox has too many messages to look through");
  }
}

const toPending = ({ messageId, payload }: OutboxKey & { payload?: string }): PendingMessage => ({
  messageId,
  payload: payload === undefined ? undefined : parseExactJson(payload),
});
