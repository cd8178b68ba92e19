import { randomUUID } from "node:crypto";
import type { ScheduledEvent } from "aws-lambda";
import { workers } from "#functions/families.ts";
import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import { type QueueSpec, queues } from "#shared/registry/queues.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { TableName } from "#shared/registry/tables.ts";
import { deleteExpired } from "./emulators/expiry-sweeper.ts";
import { startQueuePoller } from "./emulators/queue-poller.ts";
import { type Resources, tableSpecs } from "./emulators/resources.ts";
import { type Background, type Report, startTimer } from "./timer.ts";

const expirySweepSeconds = 60;

interface TriggerOptions {
  readonly invoke: (functionName: string, event: unknown) => Promise<unknown>;
  readonly report: Report;
}

/** Start the workers of queues. */
export const startQueuePollers = ({
  resources,
  invoke,
  report,
}: TriggerOptions & { resources: Resources }): Background[] =>
  workers.flatMap(({ name, trigger }) => {
    if (!("queue" in trigger)) return [];
    const { batchSize, concurrency }: QueueSpec & { batchSize: number } = queues[trigger.queue];
    return startQueuePoller({
      client: resources.sqs,
      queue: resources.queues[trigger.queue],
      batchSize,
      ...(concurrency !== undefined && { concurrency }),
      invoke: (event) => invoke(name, event),
      report,
    });
  });

/** Start schedules; local secrets never get old enough to be rotated. */
export const startSchedules = ({
  settings,
  runsAtStart = false,
  invoke,
  report,
}: TriggerOptions & { settings: Settings; runsAtStart?: boolean }): Background[] =>
  workers.flatMap(({ name, trigger, isClient }) => {
    // A local stack needs no canary: the person who runs it is its client.
    if (!("everySeconds" in trigger) || isClient) return [];
    // On AWS, a schedule runs once a minute at most. Here, nobody should have to wait that long for a resend.
    const { everySeconds } = trigger;
    const seconds = everySeconds > 60 ? everySeconds : Math.min(everySeconds, settings.outboxResendSeconds);
    return startTimer(seconds, () => invoke(name, scheduledEvent()), { report, runsAtStart });
  });

/** Delete expired items every minute; DynamoDB itself does so within days. */
export function startExpirySweeper({
  resources,
  tableName,
  clock,
  report,
}: {
  resources: Resources;
  tableName: (name: TableName) => string;
  clock: Clock;
  report: Report;
}): Background {
  const sweep = async () => {
    for (const [name, spec] of tableSpecs) {
      await deleteExpired(resources.dynamodb, tableName(name), spec, toSeconds(clock()));
    }
  };
  return startTimer(expirySweepSeconds, sweep, { report });
}

const scheduledEvent = (): ScheduledEvent => ({
  version: "0",
  id: randomUUID(),
  "detail-type": "Scheduled Event",
  source: "aws.events",
  account: "000000000000",
  time: new Date().toISOString(),
  region: process.env.AWS_REGION ?? "",
  resources: [],
  detail: {},
});
