import { randomInt, randomUUID } from "node:crypto";
import { GetQueueAttributesCommand, SetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { BatchWriteCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import type { SQSEvent } from "aws-lambda";
import * as z from "zod";
import { startQueuePoller } from "#lib/local/emulators/queue-poller.ts";
import { defineEvent } from "#shared/events/event.ts";
import type { Recipient } from "#shared/events/event-message.ts";
import { notificationId, sequenceKey } from "#shared/events/notification.ts";
import { NotificationStore } from "#shared/events/notification-store.ts";
import { EventPublisher, teamLog } from "#shared/events/publisher.ts";
import { SocketStore } from "#shared/events/sockets/socket-store.ts";
import { type Clock, systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { createLog } from "#shared/platform/log.ts";
import { change, commit as commitAll } from "#shared/platform/messaging/change.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import type { QueueName } from "#shared/registry/queues.ts";
import { teamMemberJoin } from "#shared/teams/events.ts";
import { type ApiAnswer, api } from "./api.ts";
import { checkTimes } from "./event-times.ts";
import { isOfFault } from "./faults.ts";
import { stackConfig } from "./stack-config.ts";
import { signedToken } from "./tokens.ts";

/** An event without meaning, identified by a number. */
export const numbered = defineEvent({
  type: "test.numbered",
  summary: "A test sends something",
  recipients: "conversation-members",
  schema: z.looseObject({ number: z.int() }),
});
const transient = { ...numbered, type: "test.passing", isTransient: true };

/** The queues that an event passes, with their workers. */
const workersOfEvents = { events: "fan-out", deliveries: "delivery" } as const satisfies Partial<
  Record<QueueName, string>
>;

const eventQueues: readonly QueueName[] = ["events", "deliveries", "bot-events", "slow-bot-events"];

interface Publication {
  readonly number: number;
  readonly to: readonly Recipient[];
  /** By default a random user. */
  readonly sender?: string;
  /** User whose accepted connections also receive it. */
  readonly contactsOf?: string;
  readonly origin?: Actor;
  readonly isTransient?: boolean;
  /** Makes the event larger by this number of bytes. */
  readonly padding?: number;
}

export interface EventSource {
  /** Commit events in one transaction, and send them. */
  publish(...publications: Publication[]): Promise<void>;
  /** Commit events in one transaction without sending them. @returns a function that sends them */
  commit(...publications: Publication[]): Promise<() => Promise<void>>;
  /** Commit and send an event of any kind. */
  send(...event: Parameters<EventPublisher["to"]>): Promise<void>;
  /** Put events straight into an empty stream, for tests that need many. */
  fill(stream: string, numbers: readonly number[], options?: Pick<Publication, "padding">): Promise<void>;
  countIn(stream: string): Promise<number>;
  /** Messages not yet handled by any worker; events may still wait in the queue `deliveries`. */
  countInOutbox(): Promise<number>;
  /** Whether everything committed before has been stored for its recipients. */
  isAllDelivered(): Promise<boolean>;
  /** Numbers of the events in a stream, in order. */
  numbersIn(stream: string): Promise<number[]>;
  /**
   * Add event workers to those of the local stack; they may fail because of injected faults.
   * @returns a function that stops them
   */
  addWorkers(invoke: (worker: string, event: SQSEvent) => Promise<unknown>): () => Promise<void>;
  /** Set how long a message in the event queues stays leased to a worker that has died. */
  setVisibilityTimeout(seconds: number): Promise<void>;
  /** Ids of a user's sockets that the stack considers open. */
  socketsOf(user: Pick<Recipient, "userId">): Promise<string[]>;
  /** The streams that store events. */
  readonly store: NotificationStore;
  readonly sockets: SocketStore;
}

const paddingOf = (bytes: number) => bytes > 0 && { padding: "x".repeat(bytes) };

/** Create a source that publishes events as functions of a stack do: through its outbox to its queue. */
export function eventSource({
  prefix = "test",
  clock = systemClock,
}: {
  prefix?: string;
  clock?: Clock;
} = {}): EventSource {
  const config = stackConfig(prefix);
  const dynamo = createDynamo();
  const sockets = new SocketStore({ dynamo, config, clock });
  const publisher = new EventPublisher({
    outbox: new Outbox({ config, clock, log: createLog("test", "CRITICAL") }),
    clock,
  });

  const messagesOf = ({
    number,
    to,
    sender = randomUUID(),
    contactsOf,
    origin,
    isTransient,
    padding = 0,
  }: Publication) =>
    publisher.to(
      {
        group: sender,
        recipients: to.map(({ userId, clientIds }) => ({ userId, clientIds })),
        contactsOf,
        origin,
      },
      isTransient ? transient : numbered,
      { number, ...paddingOf(padding) },
    );

  async function commit(...publications: Publication[]) {
    const messages = publications.flatMap(messagesOf);
    await commitAll(dynamo, { messages });
    return async () => {
      for (const message of messages) await message.send();
    };
  }

  async function countInOutbox(): Promise<number> {
    const scan = new ScanCommand({
      TableName: config.tableName("outbox"),
      Select: "COUNT",
      ConsistentRead: true,
    });
    return (await dynamo.send(scan)).Count ?? 0;
  }

  /** Messages of a queue, including those that a worker has in hand. */
  async function countInQueue(name: QueueName): Promise<number> {
    const sqs = new SQSClient();
    const command = new GetQueueAttributesCommand({
      QueueUrl: config.queueUrl(name),
      AttributeNames: ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"],
    });
    const { Attributes = {} } = await sqs.send(command);
    sqs.destroy();
    return Object.values(Attributes).reduce((sum, count) => sum + Number(count), 0);
  }

  const store = new NotificationStore({ dynamo, config, clock });
  return {
    commit,
    send: (...event) => change({ dynamo }, async () => ({ messages: publisher.to(...event) })),
    publish: async (...publications) => (await commit(...publications))(),
    async fill(stream, numbers, { padding = 0 } = {}) {
      const now = clock();
      const requests = numbers.map((number, index) => ({
        PutRequest: {
          Item: {
            stream,
            position: sequenceKey(index + 1),
            id: notificationId(index + 1, now + index, undefined),
            eventId: randomUUID(),
            payload: JSON.stringify([{ type: numbered.type, number, ...paddingOf(padding) }]),
            expiresAt: Math.floor(now / 1000) + 3600,
          },
        },
      }));
      while (requests.length > 0) {
        const RequestItems = { [config.tableName("notifications")]: requests.splice(0, 25) };
        await dynamo.send(new BatchWriteCommand({ RequestItems }));
      }
    },
    async countIn(stream) {
      let count = 0;
      for await (const _ of store.after(stream, 0)) count++;
      return count;
    },
    countInOutbox,
    // In this order: a message is removed from the queue or the outbox when its deliveries are in the next queue.
    isAllDelivered: async () =>
      (await countInQueue("events")) === 0 &&
      (await countInOutbox()) === 0 &&
      (await countInQueue("deliveries")) === 0,
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
      const pollers = Object.entries(workersOfEvents).flatMap(([name, worker]) => {
        const queue = { url: config.queueUrl(name as QueueName), arn: `arn:aws:sqs:local:0:${name}` };
        return [1, 2].map(() =>
          startQueuePoller({
            client: sqs,
            queue,
            batchSize: 10,
            invoke: (event) => invoke(worker, event),
            // Reported as in a stack whose test causes faults.
            report: (error) => {
              if (!isOfFault(error)) console.error(error);
            },
          }),
        );
      });
      return async () => {
        await Promise.all(pollers.map((poller) => poller.stop()));
        sqs.destroy();
      };
    },
    async setVisibilityTimeout(seconds) {
      const sqs = new SQSClient();
      const Attributes = { VisibilityTimeout: String(seconds) };
      for (const name of eventQueues) {
        await sqs.send(new SetQueueAttributesCommand({ QueueUrl: config.queueUrl(name), Attributes }));
      }
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

/** A user with an access token; reading a stream requires no account. */
export interface Reader {
  readonly userId: string;
  readonly connectionId: string;
  readonly token: string;
}

/** Create a reader for a stack. */
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

/** A notification with events of an event source. */
export interface NumberedNotification {
  readonly id: string;
  readonly payload: readonly { readonly number: number }[];
}

/** Numbers of the events in notifications, in order. */
export const numbersIn = (notifications: readonly NumberedNotification[]): number[] =>
  notifications.flatMap(({ payload }) => payload.map(({ number }) => number));

/** Numbers of the events in an answer of `GET /notifications`, in order. */
export const numbersListed = ({ body }: Pick<ApiAnswer, "body">): number[] => numbersIn(body.notifications);

/** 1, 2 … up to `count`. */
export const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

interface StoredEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Record in a team's log that somebody joined, as the functions of a stack do. */
export async function announceInTeamLog(teamId: string, { prefix = "test" } = {}): Promise<void> {
  const config = stackConfig(prefix);
  const outbox = new Outbox({ config, clock: systemClock, log: createLog("test", "CRITICAL") });
  const publisher = new EventPublisher({ outbox, clock: systemClock });
  const userId = randomUUID();
  const event = { team: teamId, time: new Date().toISOString(), data: { user: userId } };
  await change({ dynamo: createDynamo() }, async () => ({
    messages: publisher.to({ group: userId, recipients: [teamLog(teamId)] }, teamMemberJoin, event),
  }));
}

/** Events of some types in the log of a user, in order. */
export async function storedEvents(
  token: string,
  wanted: string | RegExp,
  publicApi = api,
): Promise<StoredEvent[]> {
  const { body } = await publicApi("GET", "/notifications", { token });
  const notifications: { payload: StoredEvent[] }[] = body.notifications;
  checkTimes(body.notifications);
  const events = notifications.flatMap(({ payload }) => payload);
  return events.filter(({ type }) => (typeof wanted === "string" ? type === wanted : wanted.test(type)));
}
