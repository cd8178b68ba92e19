import { randomUUID } from "node:crypto";
import {
  SendMessageBatchCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { type DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { nudgeQueueOf, type QueueSpec, queues } from "#shared/registry/queues.ts";
import { awsClientOptions } from "../aws-client-options.ts";
import { chunks } from "../chunks.ts";
import { type Clock, toSeconds } from "../clock.ts";
import type { Config } from "../config.ts";
import { batchDelete, batchPut } from "../data/batch-write.ts";
import type { Parts, Write } from "../data/conditions.ts";
import { putAlone } from "../data/put-alone.ts";
import { splitText } from "../data/split-text.ts";
import { declareItem, storedObject } from "../data/stored-item.ts";
import { withUnknownFields } from "../data/unknown-fields.ts";
import { gather } from "../gather.ts";
import type { Log } from "../log.ts";
import type { QueueName } from "../product.ts";
import { currentRequestId } from "../request-id.ts";
import { currentSample } from "../usage/measured-work.ts";
import {
  type CarriedMessage,
  keepSeconds,
  type LaneNudge,
  laneOf,
  messagesPerNudge,
  nudgeGroupOf,
  type OutboxKey,
  partKeys,
} from "./outbox-item.ts";
import { toSqsText } from "./to-sqs-text.ts";

/** An outgoing message, for `change` to commit and send. */
export interface OutboxMessage {
  /** Item for the transaction that causes it. */
  readonly write: Write;
  /** Parts that do not fit into that item; stored before the commit, so that a message is always found complete. */
  readonly parts?: Parts;
  /**
   * Commits it when nothing else changes: by the queue, or by the outbox for half the price of a transaction.
   * @returns the messages that are still to be sent
   */
  readonly commitAlone: (dynamo: DynamoDBDocumentClient) => Promise<readonly OutboxMessage[]>;
  readonly key: OutboxKey;
  /** Whether it is left to the sweeper. */
  readonly isDeferred: boolean;
  /** Whether its lane starts with it. */
  readonly isFirst?: boolean;
  /** Runs after the commit, see `sendAll`. @param others data about other messages of its lane, for the nudge */
  readonly send: (others?: Pick<LaneNudge, "before" | "isForSeveral">) => Promise<void>;
}

/** A message that can be revoked. */
export interface RevocableMessage extends OutboxMessage {
  /** Revokes a message of one item. Rejected as `StaleReadError` when a worker has begun with it. */
  readonly revoke: Write;
}

/** A message that can be put into the outbox without a transaction. */
interface StorableMessage extends RevocableMessage {
  readonly put: (dynamo: DynamoDBDocumentClient) => Promise<void>;
}

/** Send committed messages. A worker also handles earlier messages of a lane, so the queue gets only the newest one. */
export async function sendAll(messages: readonly OutboxMessage[]): Promise<void> {
  const waiting = messages.filter(({ isDeferred }) => !isDeferred);
  const lanes = [...Map.groupBy(waiting, ({ key }) => key.lane).values()];
  const nudges = lanes.flatMap((lane) => {
    const inOrder = lane.toSorted((one, other) => (one.key.messageId < other.key.messageId ? -1 : 1));
    const isWhole = inOrder[0]?.isFirst === true && inOrder.length <= messagesPerNudge;
    const before = isWhole ? inOrder.slice(0, -1).map(({ key }) => key.messageId) : undefined;
    return chunks(inOrder, messagesPerNudge).flatMap((chunk) => {
      const isForSeveral = chunk.length > 1 || undefined;
      return chunk.slice(-1).map((message) => message.send({ before, isForSeveral }));
    });
  });
  await Promise.all(nudges);
}

/** The queue message for an outbox message. */
interface Nudge {
  readonly key: OutboxKey;
  readonly requestId: string | undefined;
  readonly message: Omit<SendMessageCommandInput, "QueueUrl">;
}

/** Log entry for a message whose nudge was not sent. */
const logged = (nudge: Nudge | undefined) => nudge && { ...nudge.key, requestId: nudge.requestId };

/** Maximum number of messages in one request to SQS. */
const maxMessages = 10;

interface OutboxContext {
  readonly config: Pick<Config, "tableName" | "queueUrl">;
  readonly clock: Clock;
  readonly log: Log;
}

interface Options {
  /** Messages of one group keep their order in a FIFO queue. */
  readonly group?: string;
  /** Place of a message among those of its group, in unix milliseconds; by default now. */
  readonly time?: number;
  /** Whether its group has no messages before it. */
  readonly isFirst?: boolean;
  /** Whether only the sweeper sends it, a minute later, unless it has been revoked by then. */
  readonly isDeferred?: boolean;
  /** Seconds before a worker gets the message: up to the queue's maximum in the registry, and none in FIFO queues. */
  readonly delaySeconds?: number;
  /**
   * Whether the FIFO queue may carry it if it is committed alone. Its place must be after those of all messages of its
   * group that were already acknowledged to callers, and its worker must not read the lane ahead of nudges.
   */
  readonly mayBeCarried?: boolean;
  /** Whether the queue may contain it, too. */
  readonly isRepeated?: boolean;
}

/**
 * Size up to which a queue carries a message itself. SQS takes 1 MiB, and escaping JSON within JSON needs a part of
 * that.
 */
const maxCarriedBytes = 900 * 1024;
const isCarriable = (texts: readonly string[]) =>
  texts.reduce((bytes, text) => bytes + Buffer.byteLength(JSON.stringify(text)), 0) <= maxCarriedBytes;

declareItem(
  {
    table: "outbox",
    kind: "part",
    key: ["parts#*", "*"],
    subject: { nobody: "work to do, until it is done" },
  },
  storedObject({ text: z.string() }),
);

/**
 * Messages that are sent if, and only if, a change is committed. When the function dies between the commit and the
 * send, the sweeper sends them.
 */
export class Outbox {
  readonly #tableName: string;
  readonly #queueUrl: (queue: QueueName) => string;
  readonly #sqs = new SQSClient(awsClientOptions());
  readonly #clock: Clock;
  readonly #log: Log;
  /** By queue: messages sent in one turn of the event loop share a request, at the price of one. */
  readonly #senders = new Map<QueueName, (nudge: Nudge) => Promise<void>>();
  /** Keeps messages of one millisecond in the order in which they were enqueued. */
  #sequence = 0;

  constructor({ config, clock, log }: OutboxContext) {
    this.#tableName = config.tableName("outbox");
    this.#queueUrl = config.queueUrl;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Creates a message, of any size that fits into a request to Lambda. It has the id of the request on whose behalf this is
   * called.
   */
  message(queue: QueueName, payload: object, options: Options = {}): StorableMessage {
    const { group, time, delaySeconds = 0, isFirst = false, isDeferred = false } = options;
    const { mayBeCarried = false, isRepeated = false } = options;
    const { longestDelaySeconds = 0 }: QueueSpec = queues[queue];
    if (delaySeconds > longestDelaySeconds) {
      throw new RangeError(
        `A delay of ${delaySeconds} seconds: the queue ${queue} has at most ${longestDelaySeconds}`,
      );
    }
    const now = this.#clock();
    const requestId = currentRequestId();
    const sample = currentSample();
    const cause = { ...(requestId !== undefined && { requestId }), ...(sample && { sample: { ...sample } }) };
    const order = String(this.#sequence++ % 1_000_000).padStart(6, "0");
    const place = (time ?? now) + delaySeconds * 1000;
    const messageId = `${new Date(place).toISOString()}#${order}#${randomUUID()}`;
    const key: OutboxKey = { lane: laneOf(queue, group ?? messageId), messageId };
    const purgeAtSeconds = toSeconds(Math.max(now, place)) + keepSeconds;
    const texts = splitText(JSON.stringify(withUnknownFields(payload)));
    const isLarge = texts.length > 1;
    const content = isLarge ? { parts: texts.length } : { payload: texts[0] };
    const put = {
      TableName: this.#tableName,
      Item: { ...key, ...cause, ...content, deliveries: isRepeated ? 1 : 0, purgeAtSeconds },
    };
    const message: StorableMessage = {
      key,
      isDeferred,
      isFirst,
      write: { item: { Put: put } },
      parts: isLarge ? this.#parts(messageId, texts, purgeAtSeconds) : undefined,
      commitAlone: async (dynamo) => {
        const isTried = group !== undefined && mayBeCarried && isCarriable(texts);
        if (isTried && (await this.#carry(queue, group, { ...key, ...cause, payload: texts.join("") })))
          return [];
        // The queue may have taken it nevertheless. That copy is then handled first, because this one gets a later
        // place.
        const stored = isTried
          ? this.message(queue, payload, {
              ...options,
              time: Math.max(place, this.#clock()),
              isRepeated: true,
            })
          : message;
        await stored.parts?.store(dynamo);
        await stored.put(dynamo);
        return [stored];
      },
      put: async (dynamo) => {
        // When it is put again, a lane of several messages may already have been handled up to this one.
        const repeatedPut = { ...put, Item: { ...put.Item, deliveries: 1 } };
        if (group === undefined) await dynamo.send(new PutCommand(put));
        else await putAlone(dynamo, put, repeatedPut);
      },
      send: (others) => this.#send(queue, { ...key, ...others }, { group, delaySeconds }),
      revoke: {
        item: {
          Delete: {
            TableName: this.#tableName,
            Key: key,
            ConditionExpression: "deliveries = :none",
            ExpressionAttributeValues: { ":none": 0 },
          },
        },
      },
    };
    return message;
  }

  /** Connect to SQS ahead of the first message, by sending one without text and group, which a FIFO queue refuses. */
  async warmUp(queue: QueueName): Promise<void> {
    await this.#sqs.send(new SendMessageCommand({ QueueUrl: this.#queueUrl(queue), MessageBody: "" }));
  }

  /** Sends a message itself through its queue. @returns false if the queue apparently did not take it */
  async #carry(queue: QueueName, group: string, carried: CarriedMessage): Promise<boolean> {
    const { lane, messageId } = carried;
    try {
      await this.#sqs.send(
        new SendMessageCommand({
          QueueUrl: this.#queueUrl(queue),
          MessageBody: toSqsText({ carried }),
          MessageGroupId: group,
          MessageDeduplicationId: messageId,
        }),
      );
      return true;
    } catch (error) {
      this.#log.warn("outbox-message-not-carried", { lane, messageId, error: error as Error });
      return false;
    }
  }

  #parts(messageId: string, texts: readonly string[], purgeAtSeconds: number): Parts {
    const tableName = this.#tableName;
    const keys = partKeys({ messageId, parts: texts.length });
    const items = keys.map((key, part) => ({ ...key, text: texts[part], purgeAtSeconds }));
    return {
      store: (dynamo) => batchPut(dynamo, { tableName, items }),
      discard: (dynamo) => batchDelete(dynamo, { tableName, keys }),
    };
  }

  #send(queue: QueueName, key: LaneNudge, { group, delaySeconds = 0 }: Options): Promise<void> {
    const nudgeQueue = nudgeQueueOf(queue);
    const send = this.#senders.get(nudgeQueue) ?? gather((nudges) => this.#sendGathered(nudgeQueue, nudges));
    this.#senders.set(nudgeQueue, send);
    return send({
      key,
      requestId: currentRequestId(),
      message: {
        MessageBody: JSON.stringify(key),
        ...(delaySeconds > 0 && { DelaySeconds: delaySeconds }),
        ...(group !== undefined && {
          MessageGroupId: nudgeGroupOf(queue, group),
          MessageDeduplicationId: key.messageId,
        }),
      },
    });
  }

  /** A failure here loses nothing: messages wait until the sweeper finds them. */
  async #sendGathered(queue: QueueName, nudges: readonly Nudge[]): Promise<void> {
    const QueueUrl = this.#queueUrl(queue);
    const sendChunk = async (chunk: readonly Nudge[]) => {
      const [first] = chunk;
      try {
        if (first !== undefined && chunk.length === 1) {
          await this.#sqs.send(new SendMessageCommand({ QueueUrl, ...first.message }));
          return;
        }
        const Entries = chunk.map(({ message }, index) => ({ Id: String(index), ...message }));
        const { Failed = [] } = await this.#sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
        for (const { Id, Code } of Failed)
          this.#log.warn("outbox-send-failed", { ...logged(chunk[Number(Id)]), code: Code });
      } catch (error) {
        for (const nudge of chunk)
          this.#log.warn("outbox-send-failed", { ...logged(nudge), error: error as Error });
      }
    };
    await Promise.all(chunks(nudges, maxMessages).map(sendChunk));
  }
}
