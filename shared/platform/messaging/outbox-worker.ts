import type { Clock } from "../clock.ts";
import { onConditionFailed } from "../data/conditions.ts";
import type { StoreContext } from "../data/store-context.ts";
import { Table } from "../data/table.ts";
import { parseExactJson } from "../exact-json.ts";
import { gather } from "../gather.ts";
import {
  type CarriedMessage,
  type LaneNudge,
  maxDeliveries,
  messagesPerNudge,
  type OutboxItem,
  type OutboxKey,
  partKeys,
  readLane,
  type StoredMessage,
  storedMessage,
} from "./outbox-item.ts";
import { ParkedMessages } from "./parked-messages.ts";

/** Messages of a lane that are read together; a worker that is behind takes the first few of a longer one. */
const pendingPage = 50;
const firstPage = 20;
/** Maximum number of messages that the nudges of one run, ten at most, handle; others have nudges of their own. */
const maxPending = 10 * messagesPerNudge;

/** Messages that a worker remembers to have handled before their nudges, which follow within moments. */
const maxRemembered = 2000;

/** A message that has been handled. */
type Handled = OutboxKey & Pick<OutboxItem, "parts" | "isAhead" | "isCarried">;

/** A message that its queue carried. */
interface ReceivedMessage extends CarriedMessage {
  /** How often the queue has delivered it, this time included. */
  readonly receives: number;
}

/** Entries of a queue for a lane. */
export type LaneEntry = LaneNudge | ReceivedMessage;

export const isCarried = (entry: LaneEntry): entry is ReceivedMessage => "receives" in entry;

const toItem = ({ receives, payload, ...key }: ReceivedMessage) => ({
  ...key,
  payload: parseExactJson(payload),
  bytes: Buffer.byteLength(payload),
  deliveries: receives - 1,
  isCarried: true as const,
});

/** The workers' side of the outbox. Access patterns: by key; by lane in order of age. */
export class OutboxWorker {
  readonly #table: Table<"outbox">;
  readonly #clock: Clock;
  readonly #parked: ParkedMessages;
  /** Ids of messages that have been handled before their nudges, oldest first. */
  readonly #handledAhead = new Set<string>();

  constructor(context: StoreContext) {
    this.#table = new Table(context, "outbox");
    this.#clock = context.clock;
    this.#parked = new ParkedMessages(context);
  }

  /**
   * Lease a message, so that a second copy of it in the queue is not handled at the same time. Returns undefined when
   * it has been handled, another worker has leased it, or nobody can read it: then it is parked.
   */
  async lease(key: OutboxKey, seconds: number): Promise<OutboxItem | undefined> {
    const now = this.#clock();
    const { lane, messageId } = key;
    const item = await this.#table.updateOnce(
      { lane, messageId },
      {
        UpdateExpression: "SET leasedUntil = :until, deliveries = deliveries + :one",
        ConditionExpression:
          "attribute_exists(messageId) AND (attribute_not_exists(leasedUntil) OR leasedUntil <= :now)",
        ExpressionAttributeValues: { ":until": now + seconds * 1000, ":now": now, ":one": 1 },
      },
    );
    return item && this.#read(item);
  }

  /** Read a message without leasing it. Returns undefined when it has been handled, or nobody can read it. */
  async read({ lane, messageId }: OutboxKey): Promise<OutboxItem | undefined> {
    const item = await this.#table.get({ lane, messageId });
    return item && this.#read(item);
  }

  /** Extend a lease. */
  async renew({ lane, messageId }: OutboxKey, seconds: number): Promise<void> {
    const update = this.#table.update(
      { lane, messageId },
      {
        UpdateExpression: "SET leasedUntil = :until",
        ConditionExpression: "attribute_exists(messageId)",
        ExpressionAttributeValues: { ":until": this.#clock() + seconds * 1000 },
      },
    );
    await onConditionFailed(update, () => undefined);
  }

  /** End a lease after a failure: the queue's next attempt finds the message free, or it is parked after too many. */
  async release(item: OutboxItem, error: unknown): Promise<void> {
    if (item.deliveries >= maxDeliveries.standard) return this.park(item, error);
    const { lane, messageId } = item;
    const update = this.#table.update(
      { lane, messageId },
      { UpdateExpression: "REMOVE leasedUntil", ConditionExpression: "attribute_exists(messageId)" },
    );
    await onConditionFailed(update, () => undefined);
  }

  /** Delete a message that has been handled: copies that are still in the queue find nothing. */
  readonly complete = gather<Handled>((items) => this.completeAll(items));

  /** Delete messages that have been handled, as `complete` does, in few calls. */
  async completeAll(handled: readonly Handled[]): Promise<void> {
    const items = handled.filter(({ isCarried = false }) => !isCarried);
    // The parts first, so that a dying worker leaves none behind: a message without its parts counts as handled.
    await this.#table.deleteMany(items.flatMap(partKeys));
    await this.#table.deleteMany(items.map(({ lane, messageId }) => ({ lane, messageId })));
    for (const { messageId, isAhead = false } of items) if (isAhead) this.#handledAhead.add(messageId);
    for (const messageId of this.#handledAhead) {
      if (this.#handledAhead.size <= maxRemembered) break;
      this.#handledAhead.delete(messageId);
    }
  }

  /**
   * Messages of a lane, in order, up to and including the newest that a nudge names. Unreadable ones are parked and
   * left out. An earlier attempt may have stopped at the oldest message. Its deliveries are counted then, so that a
   * message that kills its worker is parked, too. Messages of a new lane are read by key, because such reads share a
   * request.
   *
   * @param nudges all nudges of the lane that the worker was called with
   * @param options.isBehind whether more messages are waiting: then the first read also takes messages after the named
   * one, so that their own nudges need no read. Not for lanes whose queue carries messages itself. Set it again after a
   * failure, because messages that were read ahead must be repeated with the same nudge
   */
  async *pendingOf(
    nudges: readonly LaneNudge[],
    {
      isRepeated,
      isBehind = false,
      limit = maxPending,
      onParked,
    }: { isRepeated: boolean; isBehind?: boolean; limit?: number; onParked?: () => void },
  ): AsyncGenerator<OutboxItem> {
    const newest = newestOf(isRepeated ? nudges : nudges.filter((nudge) => !this.#isSettled(nudge)));
    if (newest === undefined) return;
    const { lane, messageId, before } = newest;
    if (before !== undefined && !isRepeated) {
      const messages = await Promise.all(
        [...before, messageId].map((id) => this.read({ lane, messageId: id })),
      );
      yield* messages.filter((message) => message !== undefined);
      return;
    }
    // After a failure, read more than before, because messages may have been inserted between.
    const least = isRepeated ? pendingPage : firstPage;
    const items = this.#table.query(lane, {
      ...(isBehind
        ? { firstLimit: least }
        : { range: "messageId <= :last", ExpressionAttributeValues: { ":last": messageId } }),
      Limit: pendingPage,
    });
    let read = 0;
    let handled = 0;
    for await (const item of items) {
      const message = await this.#read(item);
      if (message !== undefined) {
        const isRetried = handled++ === 0 && isRepeated;
        const isAhead = message.messageId > messageId;
        if (!isRetried || (await this.#countDelivery(message))) yield { ...message, isAhead };
        else onParked?.();
      }
      if (++read === limit || (isBehind && read >= least && String(item.messageId) >= messageId)) return;
    }
  }

  /**
   * Messages of a lane of which the queue carried some itself, in the order of the queue. Each follows the earlier ones
   * in the outbox, even if their nudges got lost. An earlier attempt may have stopped at the first message, so that is
   * parked and left out after too many deliveries.
   *
   * @param entries nudges and carried messages of the lane that the worker was called with, in their order
   */
  async *pendingAround(
    entries: readonly LaneEntry[],
    { isRepeated }: { isRepeated: boolean },
  ): AsyncGenerator<OutboxItem> {
    let parked = 0;
    let isFirst = true;
    const stored = this.pendingOf(
      entries.map(({ lane, messageId }) => ({ lane, messageId })),
      { isRepeated, limit: Number.POSITIVE_INFINITY, onParked: () => parked++ },
    );
    let next = await stored.next();
    for (const entry of entries) {
      while (!next.done && next.value.messageId <= entry.messageId) {
        isFirst = false;
        yield next.value;
        next = await stored.next();
      }
      if (!isCarried(entry)) continue;
      const item = toItem(entry);
      // Earlier messages with as many deliveries may have been the reason.
      if (isFirst && entry.receives > maxDeliveries.fifo * (parked + 1)) {
        parked++;
        await this.park(item, tooManyDeliveries());
        continue;
      }
      isFirst = false;
      yield item;
    }
  }

  /**
   * Whether the work of a nudge is already done. Its message may have been handled ahead, before others that were
   * committed later or were not visible yet. Those have nudges of their own; otherwise the nudge says so.
   */
  #isSettled({ messageId, isForSeveral = false }: LaneNudge): boolean {
    return this.#handledAhead.has(messageId) && !isForSeveral;
  }

  /** Take a message out of its lane, or out of the queue that carries it, until an operator deals with it. */
  async park(message: OutboxKey & Partial<OutboxItem>, reason: unknown): Promise<void> {
    const { lane, messageId, isCarried = false, payload, requestId } = message;
    const { queue, group } = readLane(lane) ?? {};
    if (!isCarried || queue === undefined || group === undefined)
      return this.#parked.park({ lane, messageId }, reason);
    await this.#parked.add(queue, group, payload as object, reason, { messageId, requestId });
  }

  async #read(item: Record<string, unknown>): Promise<OutboxItem | undefined> {
    try {
      return await this.#withPayload(storedMessage.parse(item));
    } catch (error) {
      // An error of DynamoDB is no reason to park.
      if ("$metadata" in (error as Error)) throw error;
      await this.park({ lane: String(item.lane), messageId: String(item.messageId) }, error);
      return undefined;
    }
  }

  /** @returns false when this was one delivery too many and the message has been parked */
  async #countDelivery({ lane, messageId }: OutboxKey): Promise<boolean> {
    const update = this.#table.update(
      { lane, messageId },
      {
        UpdateExpression: "SET deliveries = deliveries + :one",
        ConditionExpression: "attribute_exists(messageId)",
        ExpressionAttributeValues: { ":one": 1 },
        ReturnValues: "UPDATED_NEW",
      },
    );
    const updated = await onConditionFailed(update, () => undefined);
    if (Number(updated?.deliveries ?? 0) <= maxDeliveries.fifo) return true;
    await this.park({ lane, messageId }, tooManyDeliveries());
    return false;
  }

  /** Returns undefined when the message has been completed; it may be back, see `putAlone`. */
  async #withPayload(message: StoredMessage): Promise<OutboxItem | undefined> {
    const text = message.payload ?? (await this.#readParts(message));
    if (text !== undefined) {
      return { ...message, payload: parseExactJson(text), bytes: Buffer.byteLength(text) };
    }
    await this.complete({ lane: message.lane, messageId: message.messageId });
    return undefined;
  }

  async #readParts(message: StoredMessage): Promise<string | undefined> {
    const keys = partKeys(message);
    const found = await this.#table.getMany(keys);
    const texts = keys.map(({ messageId }) => found.find((part) => part.messageId === messageId)?.text);
    return texts.includes(undefined) ? undefined : texts.join("");
  }
}

const tooManyDeliveries = () => new Error(`Not handled in ${maxDeliveries.fifo} deliveries`);

const newestOf = (nudges: readonly LaneNudge[]): LaneNudge | undefined =>
  nudges.toSorted((one, other) => (one.messageId < other.messageId ? 1 : -1))[0];
