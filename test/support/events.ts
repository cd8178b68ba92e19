import { randomInt, randomUUID } from "node:crypto";
import { SetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { BatchWriteCommand, ScanCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { SQSEvent } from "aws-lambda";
import { inject } from "vitest";
import * as z from "zod";
import { startQueuePoller } from "#lib/local/queue-poller.ts";
import { type Clock, systemClock } from "#shared/clock.ts";
import type { Config } from "#shared/config.ts";
import { createDocumentClient } from "#shared/data/client.ts";
import { transact } from "#shared/data/conditions.ts";
import { notificationId, positionKey } from "#shared/data/notification/notification.ts";
import { NotificationStore } from "#shared/data/notification/notification-store.ts";
import { SocketStore } from "#shared/data/socket/socket-store.ts";
import { defineEvent } from "#shared/events/event.ts";
import type { Recipient } from "#shared/events/event-message.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import type { Actor } from "#shared/http/route.ts";
import { createLog } from "#shared/log.ts";
import { Outbox } from "#shared/messaging/outbox.ts";
import { queues } from "#shared/messaging/queues.ts";
import { parseSettings } from "#shared/settings.ts";
import type { ApiAnswer } from "./api.ts";
import { signedToken } from "./tokens.ts";

/** An event of no meaning, with a number to know it by. */
const numbered = defineEvent({
  type: "test.numbered",
  recipients: "conversation-members",
  schema: z.looseObject({ number: z.int() }),
});
const passing = { ...numbered, type: "test.passing", isTransient: true };

export interface Publication {
  readonly number: number;
  readonly to: readonly Recipient[];
  /** Absent: somebody unknown. */
  readonly sender?: string;
  readonly origin?: Actor;
  readonly isTransient?: boolean;
  /** Makes the event larger by so many bytes. */
  readonly padding?: number;
}

export interface EventSource {
  /** Commit events in one transaction, and send them on. */
  publish(...publications: Publication[]): Promise<void>;
  /** Commit events in one transaction, and no more: resolves with what sends them on. */
  commit(...publications: Publication[]): Promise<() => Promise<void>>;
  /** Make an account a member of a team, as far as the stream is concerned. */
  joinTeam(userId: string, teamId: string): Promise<void>;
  /** Put events straight into a stream that is empty yet: for tests that need many. */
  fill(stream: string, numbers: readonly number[]): Promise<void>;
  countIn(stream: string): Promise<number>;
  /** Messages that no worker has handled yet. */
  countInOutbox(): Promise<number>;
  /** Numbers of the events in a stream, in its order. */
  numbersIn(stream: string): Promise<number[]>;
  /** Let more of them work at once than a local stack does. Returns what ends it. */
  addWorkers(invoke: (event: SQSEvent) => Promise<unknown>): () => Promise<void>;
  /** How long a message that is not handled stays with a worker that has died. */
  setVisibilityTimeout(seconds: number): Promise<void>;
  /** Ids of the sockets of a user that are open as far as the stack knows. */
  socketsOf(user: Pick<Recipient, "userId">): Promise<string[]>;
  /** The streams that it all ends up in. */
  readonly store: NotificationStore;
  readonly sockets: SocketStore;
}

/** Publishes events as functions of a stack do: into its outbox, then to its queue. */
export function eventSource({
  prefix = "test",
  clock = systemClock,
}: {
  prefix?: string;
  clock?: Clock;
} = {}): EventSource {
  const { environment } = inject("emulators");
  Object.assign(process.env, environment);
  const config = configOf(prefix, environment.AWS_ENDPOINT_URL_SQS ?? "");
  const client = createDocumentClient();
  const sockets = new SocketStore(client, config, clock);
  const publisher = new EventPublisher(new Outbox(config, clock, createLog("test", "CRITICAL")), clock);

  const stage = ({ number, to, sender = randomUUID(), origin, isTransient, padding = 0 }: Publication) =>
    publisher.stage(
      isTransient ? passing : numbered,
      { number, ...(padding > 0 && { padding: "x".repeat(padding) }) },
      { sender, recipients: to.map(({ userId, clientIds }) => ({ userId, clientIds })), origin },
    );

  async function commit(...publications: Publication[]) {
    const messages = publications.flatMap(stage);
    const writes = messages.map(({ write }) => write);
    await transact(client, writes);
    return async () => {
      for (const message of messages) await message.send();
    };
  }

  const store = new NotificationStore(client, config, clock);
  return {
    commit,
    publish: async (...publications) => (await commit(...publications))(),
    async joinTeam(userId, teamId) {
      const update = new UpdateCommand({
        TableName: config.tableName("accounts"),
        Key: { pk: `user#${userId}`, sk: "account" },
        UpdateExpression: "SET teamId = :team",
        ExpressionAttributeValues: { ":team": teamId },
      });
      await client.send(update);
    },
    async fill(stream, numbers) {
      const now = clock();
      const requests = numbers.map((number, index) => ({
        PutRequest: {
          Item: {
            stream,
            position: positionKey(index + 1),
            id: notificationId(index + 1, now + index, undefined),
            eventId: randomUUID(),
            payload: JSON.stringify([{ type: numbered.type, number }]),
            expiresAt: Math.floor(now / 1000) + 3600,
          },
        },
      }));
      while (requests.length > 0) {
        const RequestItems = { [config.tableName("notifications")]: requests.splice(0, 25) };
        await client.send(new BatchWriteCommand({ RequestItems }));
      }
    },
    async countIn(stream) {
      let count = 0;
      for await (const _ of store.after(stream, 0)) count++;
      return count;
    },
    async countInOutbox() {
      const scan = new ScanCommand({
        TableName: config.tableName("outbox"),
        Select: "COUNT",
        ConsistentRead: true,
      });
      return (await client.send(scan)).Count ?? 0;
    },
    async numbersIn(stream) {
      const numbers: number[] = [];
      for await (const entry of store.after(stream, 0)) {
        if (entry.payload !== undefined)
          numbers.push(...JSON.parse(entry.payload).map((event: { number: number }) => event.number));
      }
      return numbers;
    },
    addWorkers(invoke) {
      const sqs = new SQSClient();
      const queue = { url: config.queueUrl("events"), arn: "arn:aws:sqs:local:0:events" };
      const pollers = [1, 2].map(() => startQueuePoller({ client: sqs, queue, batchSize: 10, invoke }));
      return async () => {
        await Promise.all(pollers.map((poller) => poller.stop()));
        sqs.destroy();
      };
    },
    async setVisibilityTimeout(seconds) {
      const sqs = new SQSClient();
      const Attributes = { VisibilityTimeout: String(seconds) };
      await sqs.send(new SetQueueAttributesCommand({ QueueUrl: config.queueUrl("events"), Attributes }));
      sqs.destroy();
    },
    async socketsOf({ userId }) {
      const { sockets: open } = await sockets.ofUser(userId);
      return open.map(({ socketId }) => socketId);
    },
    store,
    sockets,
  };
}

/** How the functions of a stack with this prefix are configured. */
export function configOf(prefix: string, queueEndpoint: string): Config {
  return {
    settings: parseSettings({}),
    publicUrl: "",
    logLevel: "CRITICAL",
    docsAssets: "",
    socketsEndpoint: "",
    tableName: (name) => `${prefix}-${name}`,
    queueUrl: (name) =>
      `${queueEndpoint}/000000000000/${prefix}-${name}${queues[name].isFifo ? ".fifo" : ""}`,
    secretId: (name) => `${prefix}-${name}`,
  };
}

/** Somebody with an access token; the stream asks for no account. */
export interface Reader {
  readonly userId: string;
  readonly connectionId: string;
  readonly token: string;
}

export async function newReader({ prefix }: { prefix?: string } = {}): Promise<Reader> {
  const userId = randomUUID();
  const connectionId = String(randomInt(2 ** 40));
  const expiresAtSeconds = Math.floor(Date.now() / 1000) + 10 * 365 * 86_400;
  return {
    userId,
    connectionId,
    token: await signedToken({ userId, connectionId, expiresAtSeconds }, { prefix }),
  };
}

export interface NumberedNotification {
  readonly id: string;
  readonly payload: readonly { readonly number: number }[];
}

/** Numbers of the events in notifications, in their order. */
export const numbersIn = (notifications: readonly NumberedNotification[]): number[] =>
  notifications.flatMap(({ payload }) => payload.map(({ number }) => number));

export const numbersListed = ({ body }: Pick<ApiAnswer, "body">): number[] => numbersIn(body.notifications);

/** 1, 2 … up to `count`. */
export const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
