import * as z from "zod";
import { nudgeQueueOf, queues } from "#shared/registry/queues.ts";
import { type Stored, storedItem, storedObject } from "../data/stored-item.ts";
import type { QueueName } from "../product.ts";
import { sample } from "../usage/sample.ts";

/** Message of a queue: the key of an outbox message, not its content. */
export const outboxKey = z.object({
  /**
   * `<queue>#<group>` in a FIFO queue, otherwise `<queue>#<message>`: messages that must wait for each other, and no
   * others.
   */
  lane: z.string(),
  /** Starts with the time of the commit (ISO 8601), so that a lane is sorted by age. */
  messageId: z.string(),
});
export type OutboxKey = z.infer<typeof outboxKey>;

/** Id of the request behind a message and its consequences, and the sample to which they belong. */
export const causedBy = { requestId: z.string().optional(), sample: sample.optional() };

/** Message of a FIFO queue: its worker handles the lane's messages up to and including the named one. */
export const laneNudge = outboxKey.extend({
  /** Whether the sweeper sent it, so that the messages may have been handled in part. */
  isResent: z.boolean().optional(),
  /** Ids of all messages before it in a lane that has just begun, in order; absent for other lanes. */
  before: z.array(z.string()).readonly().optional(),
  /** Whether messages that were committed with it have no nudge of their own. */
  isForSeveral: z.boolean().optional(),
});
export type LaneNudge = z.infer<typeof laneNudge>;

/** A message that its queue carries itself, because nothing else was committed with it; it is not in the outbox. */
export const carriedMessage = z.object({
  carried: outboxKey.extend({
    ...causedBy,
    /** JSON text, as it would be stored. */
    payload: z.string(),
  }),
});
export type CarriedMessage = z.infer<typeof carriedMessage>["carried"];

/** A message as it is stored. */
export const storedMessage = storedItem(
  {
    table: "outbox",
    kind: "message",
    key: ["*", "*"],
    subject: {
      nobody: "work to do, until it is done",
      mentions: "the owner of files that are removed later",
    },
  },
  storedObject({
    ...outboxKey.shape,
    ...causedBy,
    /** JSON text, because DynamoDB attributes allow neither large numbers nor deep nesting. */
    payload: z.string().optional(),
    /** Number of items that hold the payload when it is too large for this one. */
    parts: z.int().optional(),
    /** How often a worker has begun to handle it; in a FIFO queue, the number of known repetitions. */
    deliveries: z.int(),
    /** Unix milliseconds until which a worker has leased it. */
    leasedUntil: z.int().optional(),
    /** How often the sweeper has sent it, and when last (unix milliseconds). */
    sweeps: z.int().optional(),
    sweptAt: z.int().optional(),
  }),
);
export type StoredMessage = Stored<typeof storedMessage>;

/** A message with its payload. */
export type OutboxItem = Omit<StoredMessage, "payload"> & {
  readonly payload: unknown;
  /** Size of the payload as JSON. */
  readonly bytes: number;
  /** Whether it was found by the nudge for a message before it. */
  readonly isAhead?: boolean;
  /** Whether it came with its queue message, and is not in the outbox. */
  readonly isCarried?: true;
};

/**
 * Number of deliveries after which a message is parked: taken out of its lane until an operator deals with it. In a
 * FIFO queue deliveries follow faster, because other messages wait behind.
 */
export const maxDeliveries = { standard: 12, fifo: 25 } as const;

/** Number of messages of a lane for which there is at least one nudge. */
export const messagesPerNudge = 50;

/** How long a parked message waits for an operator. */
export const keepSeconds = 28 * 86_400;

const partsPrefix = "parts#";
const parkedPrefix = "parked#";

/** Keys of the items that hold a large payload. They are outside the lanes, so that they are not taken for messages. */
export const partKeys = ({ messageId, parts = 0 }: Pick<StoredMessage, "messageId" | "parts">): OutboxKey[] =>
  Array.from({ length: parts }, (_, part) => ({
    lane: `${partsPrefix}${messageId}`,
    messageId: String(part),
  }));

/** Partition key of a message. */
export const laneOf = (queue: QueueName, groupOrMessage: string) => `${queue}#${groupOrMessage}`;

/**
 * Message group of the nudges for a lane; undefined in queues without order. Forwarded messages have a separate group,
 * so that neither waits for the other.
 */
export const nudgeGroupOf = (queue: QueueName, group: string | undefined) =>
  group === undefined || nudgeQueueOf(queue) === queue ? group : laneOf(queue, group);

/** Partition key of a queue's parked messages. */
export const parkedLane = (queue: QueueName) => `${parkedPrefix}${queue}`;

/** The queue of a lane and its group; undefined for parts of payloads, and for malformed lanes. */
export function readLane(
  lane: string,
): { queue: QueueName; group: string | undefined; isParked: boolean } | undefined {
  const isParked = lane.startsWith(parkedPrefix);
  const [name = "", ...rest] = (isParked ? lane.slice(parkedPrefix.length) : lane).split("#");
  if (!Object.hasOwn(queues, name)) return undefined;
  const queue = name as QueueName;
  const group = queues[queue].isFifo && !isParked ? rest.join("#") : undefined;
  return { queue, group, isParked };
}

/** Time of the commit in unix milliseconds. */
export const committedAtOf = ({ messageId }: Pick<OutboxKey, "messageId">) =>
  Date.parse(messageId.slice(0, messageId.indexOf("#")));
