import { randomUUID } from "node:crypto";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { type Clock, toSeconds } from "../clock.ts";
import { StaleReadError, transact } from "../data/conditions.ts";
import type { StoreContext } from "../data/store-context.ts";
import { declareItem, storedObject } from "../data/stored-item.ts";
import { type Item, type Key, Table } from "../data/table.ts";
import type { QueueName } from "../product.ts";
import {
  causedBy,
  keepSeconds,
  laneOf,
  type OutboxKey,
  parkedLane,
  partKeys,
  readLane,
} from "./outbox-item.ts";

const maxReasonCharacters = 1000;

/** A message that was given up, as an operator sees it. */
export interface ParkedMessage {
  readonly queue: QueueName;
  readonly messageId: string;
  /** Its queue and group. */
  readonly lane: string;
  readonly parkedAt: string;
  readonly reason: string;
  readonly deliveries: number;
  readonly payload?: string;
}

declareItem(
  {
    table: "outbox",
    kind: "parked",
    key: ["parked#*", "*"],
    subject: { nobody: "work to do, until it is done" },
  },
  storedObject({
    ...causedBy,
    originalLane: z.string(),
    parkedAt: z.string(),
    reason: z.string(),
    deliveries: z.int().optional(),
    payload: z.string().optional(),
    parts: z.int().optional(),
    leasedUntil: z.int().optional(),
    sweeps: z.int().optional(),
    sweptAt: z.int().optional(),
  }),
);

/**
 * Messages that could not be handled, taken out of their lanes with all their contents. Access patterns: park; by queue
 * in order of age; put back; drop.
 */
export class ParkedMessages {
  readonly #dynamo: DynamoDBDocumentClient;
  readonly #table: Table<"outbox">;
  readonly #clock: Clock;

  constructor(context: Pick<StoreContext, "dynamo" | "config" | "clock">) {
    this.#dynamo = context.dynamo;
    this.#table = new Table(context, "outbox");
    this.#clock = context.clock;
  }

  /** Park a message; if it no longer exists, it was handled. */
  async park(key: OutboxKey, reason: unknown): Promise<void> {
    const { lane, messageId } = key;
    const place = readLane(lane);
    const item = await this.#table.get({ lane, messageId });
    if (place === undefined || item === undefined) return;
    const parked = {
      ...item,
      lane: parkedLane(place.queue),
      messageId,
      originalLane: lane,
      parkedAt: new Date(this.#clock()).toISOString(),
      reason: String(reason).slice(0, maxReasonCharacters),
    };
    await this.#move({ lane, messageId }, parked);
  }

  /**
   * Park a queue message, to be put back as a message of the group.
   * @param from.messageId of a message that has one, so that it is not parked twice
   * @param from.requestId of the request that has caused it, if there is one
   */
  async add(
    queue: QueueName,
    group: string,
    payload: object,
    reason: unknown,
    { messageId, requestId }: { messageId?: string; requestId?: string | undefined } = {},
  ): Promise<void> {
    const now = this.#clock();
    const parkedAt = new Date(now).toISOString();
    await this.#table.put({
      lane: parkedLane(queue),
      messageId: messageId ?? `${parkedAt}#000000#${randomUUID()}`,
      ...(requestId !== undefined && { requestId }),
      originalLane: laneOf(queue, group),
      parkedAt,
      reason: String(reason).slice(0, maxReasonCharacters),
      payload: JSON.stringify(payload),
      deliveries: 0,
      purgeAtSeconds: toSeconds(now) + keepSeconds,
    });
  }

  /** The parked messages of a queue, oldest first. */
  async *of(queue: QueueName): AsyncGenerator<ParkedMessage> {
    for await (const item of this.#table.query(parkedLane(queue))) {
      yield {
        queue,
        messageId: String(item.messageId),
        lane: String(item.originalLane),
        parkedAt: String(item.parkedAt),
        reason: String(item.reason),
        deliveries: Number(item.deliveries),
        ...(item.payload !== undefined && { payload: String(item.payload) }),
      };
    }
  }

  /** Put a message back into its lane; the sweeper sends it with its next run. Returns false when it is not parked. */
  async redrive(queue: QueueName, messageId: string): Promise<boolean> {
    const item = await this.#table.get({ lane: parkedLane(queue), messageId });
    if (item === undefined) return false;
    const {
      originalLane,
      parkedAt: _,
      reason: __,
      leasedUntil: ___,
      sweptAt: ____,
      sweeps: _____,
      ...rest
    } = item;
    const restored = { ...rest, lane: String(originalLane), messageId, deliveries: 0 };
    return this.#move({ lane: parkedLane(queue), messageId }, restored);
  }

  /** Delete a parked message. Returns false when it is not parked. */
  async drop(queue: QueueName, messageId: string): Promise<boolean> {
    const lane = parkedLane(queue);
    const item = await this.#table.get({ lane, messageId });
    if (item === undefined) return false;
    await this.#table.deleteMany([
      { lane, messageId },
      ...partKeys({ messageId, parts: Number(item.parts ?? 0) }),
    ]);
    return true;
  }

  async #move(from: OutboxKey, item: Key<"outbox"> & Item): Promise<boolean> {
    const exists = { ConditionExpression: "attribute_exists(messageId)" };
    try {
      await transact(this.#dynamo, [this.#table.deleteWrite(from, exists), this.#table.putWrite(item)]);
      return true;
    } catch (error) {
      // Somebody else has handled or moved it.
      if (error instanceof StaleReadError) return false;
      throw error;
    }
  }
}
