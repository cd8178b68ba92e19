import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import * as z from "zod";
import type { MessageSource } from "#shared/events/backlog-store.ts";
import { type Delivery, type DeliveryMessage, deliveryMessage } from "#shared/events/delivery-message.ts";
import { conversationOf } from "#shared/events/publisher.ts";
import { createBatchWorker } from "#shared/platform/messaging/batch-worker.ts";
import { laneNudge, type OutboxItem } from "#shared/platform/messaging/outbox-item.ts";
import { emitMetric } from "#shared/platform/metrics.ts";
import { requestIdsOf } from "#shared/platform/request-id.ts";
import { noteHandled } from "#shared/platform/usage/measured-work.ts";
import { type DeliveryBatch, deliver } from "./deliver.ts";
import type { Deps } from "./deps.ts";

export { createDeps } from "./deps.ts";

/**
 * How many receives until a delivery is parked for the recipients for whom it still fails, so that others can go on.
 * Fewer when a recipient's data cannot be read, because waiting does not help, than when AWS does not answer.
 */
const maxReceives = { unreadable: 4, other: 30 };

/** A queue message with its parsed contents. */
interface Job {
  readonly record: SQSRecord;
  readonly batches: DeliveryBatch[];
  /** Its place among parked messages, if an operator has put it back. */
  readonly items: OutboxItem[];
}

/**
 * Handle the messages of the queue `deliveries`, of all shards together. A failure delays later messages of its
 * shard, but no other shard.
 */
export function createHandler(deps: Deps) {
  const { clock, counts, log, outbox, parked } = deps;
  const markBacklogs = createBacklogMarker(deps);

  async function read(record: SQSRecord): Promise<Job> {
    const content: unknown = JSON.parse(record.body);
    const nudge = laneNudge.safeParse(content);
    const isRepeated = record.attributes.ApproximateReceiveCount !== "1";
    if (!nudge.success) {
      return { record, batches: [{ ...deliveryMessage.parse(content), isRepeated }], items: [] };
    }
    const items: OutboxItem[] = [];
    const batches: DeliveryBatch[] = [];
    for await (const item of outbox.pendingOf([nudge.data], { isRepeated: true })) {
      items.push(item);
      batches.push({ ...deliveryMessage.parse(item.payload), isRepeated: true });
    }
    return { record, batches, items };
  }

  /** Finishes a message that failed for some recipients. @returns whether it must be delivered again */
  async function finish(
    { record, items }: Job,
    failures: readonly [DeliveryBatch, Map<string, unknown>][],
  ): Promise<boolean> {
    const { messageId, attributes } = record;
    if (failures.length > 0) {
      const [reason] = [...(failures[0]?.[1].values() ?? [])];
      const requestIds = requestIdsOf(failures.flatMap(([{ deliveries }]) => deliveries));
      log.error("delivery-failed", { sqsMessageId: messageId, requestIds, error: reason as Error });
      const isUnreadable = failures.some(([, failed]) => [...failed.values()].some(isAboutContent));
      const limit = isUnreadable ? maxReceives.unreadable : maxReceives.other;
      if (Number(attributes.ApproximateReceiveCount) < limit) return true;
      const deliveries = failures.flatMap(([batch, failed]) => restOf(batch, failed));
      const message: DeliveryMessage = { deliveries };
      await parked.add("deliveries", attributes.MessageGroupId ?? messageId, message, reason);
    }
    await Promise.all(items.map((item) => outbox.complete(item)));
    return false;
  }

  async function run({ Records }: SQSEvent): Promise<SQSBatchResponse> {
    const jobs: Job[] = [];
    const failed = new Set<SQSRecord>();
    for (const record of Records) {
      try {
        jobs.push(await read(record));
      } catch (error) {
        log.error("delivery-failed", { sqsMessageId: record.messageId, error: error as Error });
        failed.add(record);
      }
    }
    const batches = jobs.flatMap((job) => job.batches);
    const deliveries = batches.flatMap((batch) => batch.deliveries);
    const [failures] = await Promise.all([deliver(deps, batches), markBacklogs(deliveries)]);
    const count = counts.add({ deliveries: recipientsOf(batches) - failuresIn(failures) });
    for (const { sample, recipients } of deliveries) noteHandled(sample, recipients.length);
    for (const job of jobs) {
      const ofJob = [...failures].filter(([batch]) => job.batches.includes(batch));
      try {
        if (await finish(job, ofJob)) failed.add(job.record);
      } catch (error) {
        log.error("delivery-failed", { sqsMessageId: job.record.messageId, error: error as Error });
        failed.add(job.record);
      }
    }
    await count;
    if (deliveries.length > 0) {
      const value = clock() - Math.min(...deliveries.map(({ committedAt }) => committedAt));
      const requestIds = requestIdsOf(deliveries);
      if (requestIds.length > 0)
        log.info("events-delivered", { requestIds, failed: failures.size, milliseconds: value });
      emitMetric("DeliveryMilliseconds", { value, unit: "Milliseconds", queue: "events", log });
    }
    return { batchItemFailures: withLaterMessages(Records, failed) };
  }

  return createBatchWorker(run, { ...deps, queue: "deliveries" });
}

/** Recipients of all events; a recipient of several events counts several times. */
const recipientsOf = (batches: readonly DeliveryBatch[]): number =>
  batches.reduce(
    (sum, { deliveries }) => deliveries.reduce((inner, { recipients }) => inner + recipients.length, sum),
    0,
  );

/** Number of these that failed. */
const failuresIn = (failures: ReadonlyMap<DeliveryBatch, ReadonlyMap<string, unknown>>): number =>
  [...failures].reduce(
    (sum, [batch, failed]) => sum + recipientsOf([{ ...batch, deliveries: restOf(batch, failed) }]),
    0,
  );

const isAboutContent = (error: unknown) =>
  error instanceof z.ZodError || error instanceof SyntaxError || error instanceof TypeError;

/** Messages that must be delivered again. */
const restOf = (
  { deliveries }: DeliveryBatch,
  failed: ReadonlyMap<string, unknown>,
): DeliveryMessage["deliveries"] =>
  deliveries.flatMap((one) => {
    const recipients = one.recipients.filter(({ userId }) => failed.has(userId));
    return recipients.length === 0 ? [] : [{ ...one, recipients, isRepeated: true }];
  });

/** After a failure, later messages of the shard stay in the queue, too, so that none overtakes. */
function withLaterMessages(records: readonly SQSRecord[], failed: ReadonlySet<SQSRecord>) {
  const groups = new Set<string>();
  return records
    .filter((record) => {
      const group = record.attributes.MessageGroupId ?? record.messageId;
      if (failed.has(record)) groups.add(group);
      return groups.has(group);
    })
    .map(({ messageId }) => ({ itemIdentifier: messageId }));
}

/**
 * Number of late events within the time of a mark that shows a backlog. Fewer may be late just because they wait behind
 * those of others.
 */
const fewestLate = 20;

type MarkDeps = Pick<Deps, "backlogs" | "clock" | "log" | "settings">;

/**
 * Creates a function that marks conversations and senders with many late events, so that they cannot send for a while.
 * A failure only delays the mark.
 */
function createBacklogMarker({ backlogs, clock, log, settings }: MarkDeps) {
  const { afterSecs, pauseSecs } = settings.setMessageBacklog;
  let since = clock();
  /** Ids of late events by source. */
  const lateEvents = new Map<string, Set<string>>();

  /** @returns the sources of the event that have a backlog */
  function count({ eventId, source }: Delivery): MessageSource[] {
    const conversationId = source && conversationOf(source.group);
    const sources = [
      ...(conversationId === undefined ? [] : [{ conversationId }]),
      ...(source?.userId === undefined ? [] : [{ userId: source.userId }]),
    ];
    return sources.filter((one: MessageSource) => {
      const name = JSON.stringify(one);
      const eventIds = lateEvents.get(name) ?? new Set();
      lateEvents.set(name, eventIds);
      // An event comes once for each shard, and for each part of a shard's recipients.
      return eventIds.size < fewestLate && eventIds.add(eventId).size === fewestLate;
    });
  }

  return async (deliveries: readonly Delivery[]): Promise<void> => {
    const now = clock();
    if (now - since >= pauseSecs * 1000) {
      lateEvents.clear();
      since = now;
    }
    const late = deliveries.filter(({ committedAt }) => now - committedAt >= afterSecs * 1000);
    const found = late.flatMap(count);
    if (found.length === 0) return;
    try {
      await backlogs.mark(found);
      log.warn("messages-wait", { sources: found });
    } catch (error) {
      log.warn("backlogs-not-marked", { error: error as Error });
    }
  };
}
