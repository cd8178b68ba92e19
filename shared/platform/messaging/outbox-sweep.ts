import { queues } from "#shared/registry/queues.ts";
import type { Clock } from "../clock.ts";
import { onConditionFailed } from "../data/conditions.ts";
import type { StoreContext } from "../data/store-context.ts";
import { Table } from "../data/table.ts";
import type { QueueName } from "../product.ts";
import {
  committedAtOf,
  maxDeliveries,
  type OutboxKey,
  readLane,
  type StoredMessage,
  storedMessage,
} from "./outbox-item.ts";
import { ParkedMessages } from "./parked-messages.ts";

/** Longest time between two sends of the same message. */
const longestPauseSeconds = 3600;

/** A lane that has been waiting for its worker. */
export interface OverdueLane {
  readonly queue: QueueName;
  readonly group: string | undefined;
  readonly oldest: StoredMessage;
  readonly newest: OutboxKey;
  /** Whether to send it now; not if it was sent a short time ago. */
  readonly isDue: boolean;
}

interface SweptPage {
  readonly lanes: OverdueLane[];
  readonly parked: { readonly queue: QueueName }[];
}

type Cursor = Awaited<ReturnType<Table<"outbox">["scanPage"]>>["next"];

/**
 * The sweeper's side of the outbox. It scans: the table holds only what is in flight, so scanning an idle one costs
 * half a read unit, while an index would cost two write units per message (ADR 31).
 */
export class OutboxSweep {
  readonly #table: Table<"outbox">;
  readonly #clock: Clock;
  readonly #parked: ParkedMessages;
  #cursor: Cursor;

  constructor(context: StoreContext) {
    this.#table = new Table(context, "outbox");
    this.#clock = context.clock;
    this.#parked = new ParkedMessages(context);
  }

  /** Whether the next page is the first one again. */
  get isAtEnd(): boolean {
    return this.#cursor === undefined;
  }

  /**
   * Read on: lanes with a message of at least `ageSeconds`, and parked messages. Parks unreadable messages, and those
   * whose workers died too often.
   */
  async nextPage(ageSeconds: number): Promise<SweptPage> {
    const { items, next } = await this.#table.scanPage({
      ExclusiveStartKey: this.#cursor,
      ProjectionExpression: "lane, messageId, deliveries, leasedUntil, sweeps, sweptAt",
    });
    this.#cursor = next;
    const lanes = new Map<string, OverdueLane>();
    const parked: { queue: QueueName }[] = [];
    const before = this.#clock() - ageSeconds * 1000;
    for (const item of items) {
      const { lane, messageId } = item as OutboxKey;
      const place = readLane(lane);
      if (place?.isParked) parked.push(place);
      // The comparison is false for a key without a time, which is unreadable anyway.
      if (place === undefined || place.isParked || committedAtOf({ messageId }) > before) continue;
      const message = storedMessage.parseOrAbsent(item);
      if (message === undefined) await this.#parked.park({ lane, messageId }, "It cannot be read");
      else await this.#add(message, { ...place, ageSeconds }, lanes);
    }
    return { lanes: [...lanes.values()], parked };
  }

  /** Record that a lane has been sent: it is sent again at growing intervals until its oldest message has been handled. */
  async noteSent({ oldest: { lane, messageId, sweeps = 0 } }: OverdueLane): Promise<void> {
    const update = this.#table.update(
      { lane, messageId },
      {
        UpdateExpression: "SET sweptAt = :now, sweeps = :sweeps",
        ConditionExpression: "attribute_exists(messageId)",
        ExpressionAttributeValues: { ":now": this.#clock(), ":sweeps": sweeps + 1 },
      },
    );
    await onConditionFailed(update, () => undefined);
  }

  async #add(
    message: StoredMessage,
    { queue, group, ageSeconds }: { queue: QueueName; group: string | undefined; ageSeconds: number },
    lanes: Map<string, OverdueLane>,
  ): Promise<void> {
    const { lane, messageId, deliveries, leasedUntil = 0, sweeps = 0, sweptAt } = message;
    const known = lanes.get(lane);
    if (known !== undefined) {
      lanes.set(lane, { ...known, newest: { lane, messageId } });
      return;
    }
    const now = this.#clock();
    if (leasedUntil > now) return;
    if (!queues[queue].isFifo && deliveries >= maxDeliveries.standard) {
      await this.#parked.park(message, new Error(`Not handled in ${maxDeliveries.standard} deliveries`));
      return;
    }
    const pauseSeconds = Math.min(ageSeconds * 2 ** (sweeps - 1), longestPauseSeconds);
    const isDue = sweptAt === undefined || now >= sweptAt + pauseSeconds * 1000;
    lanes.set(lane, { queue, group, oldest: message, newest: { lane, messageId }, isDue });
  }
}
