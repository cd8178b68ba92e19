import { Duration } from "aws-cdk-lib";
import { MathExpression, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { nudgeQueueOf, type QueueName, type QueueSpec, queues } from "#shared/registry/queues.ts";
import type { WorkerQueue } from "../constructs/worker-queue.ts";
import { failureShare } from "./failure-share.ts";
import type { StageAlarms } from "./stage-alarms.ts";

/** A message should have been handled long before this time, even with several attempts, unless it is held back on purpose. */
const longestWaitSeconds = 300;

/**
 * More failures than a single message can cause within five minutes: even the workers with the shortest pause receive
 * it only 17 times.
 */
const failureFloor = 20;
/** Percentage of failing attempts; a failing message is received again, so it counts more than once in both numbers. */
const failurePercent = 5;

/** Longest time from the commit of an event to its delivery, for nine out of ten batches. */
const longestDeliveryMilliseconds = 5000;

const sum = { statistic: Stats.SUM };
const highestByMinute = { period: Duration.minutes(1), statistic: Stats.MAXIMUM };
const highestInFiveMinutes = { period: Duration.minutes(5), statistic: Stats.MAXIMUM };

/** Alarms on a queue and its worker's results. */
export function watchQueue(alarms: StageAlarms, name: QueueName, { queue, deadLetters }: WorkerQueue): void {
  const { longestDelaySeconds = 0 }: QueueSpec = queues[name];
  alarms.add({
    id: `${name}-dead-letters`,
    metric: deadLetters.metricApproximateNumberOfMessagesVisible(highestByMinute),
    threshold: 1,
    description: `The receiver of the queue ${name} gave up on messages; they wait in the dead-letter queue.`,
  });
  alarms.add({
    id: `${name}-queue-age`,
    metric: queue.metricApproximateAgeOfOldestMessage(highestByMinute),
    // The age counts from the time of sending, even for a delayed message.
    threshold: longestWaitSeconds + longestDelaySeconds,
    description: `Messages wait in the queue ${name} for minutes: its receiver fails or cannot keep up.`,
  });
  if (nudgeQueueOf(name) === name) {
    alarms.add({
      id: `${name}-failed-items`,
      metric: failureShare({
        usingMetrics: {
          failed: alarms.ownMetric("FailedItems", { queue: name }, sum),
          received: queue.metricNumberOfMessagesReceived(sum),
        },
        failures: "FILL(failed, 0)",
        all: "received",
        floor: failureFloor,
      }),
      threshold: failurePercent,
      description: `The worker of the queue ${name} returns many of its messages as failed.`,
    });
  }
}

/**
 * Alarms on messages that wait in the outbox or were given up. One alarm covers all queues, since every metric that an
 * alarm reads costs money.
 */
export function watchOutbox(alarms: StageAlarms): void {
  const outbox = { outbox: "all" } as const;
  alarms.add({
    id: "outbox-age",
    metric: alarms.ownMetric("OldestOutboxItemSeconds", outbox, highestInFiveMinutes),
    threshold: longestWaitSeconds,
    description: "Messages of some queue stay in the outbox for minutes although the sweeper sends them.",
  });
  alarms.add({
    id: "parked-messages",
    metric: alarms.ownMetric("ParkedMessages", outbox, highestByMinute),
    threshold: 1,
    description: "Messages of some queue were given up, and wait for an operator.",
  });
}

/** Alarms on events after their queues: how late they arrive, and whether sockets and devices accept them. */
export function watchDeliveries(
  alarms: StageAlarms,
  { deliveries, "native-pushes": pushes }: Readonly<Record<"deliveries" | "native-pushes", WorkerQueue>>,
): void {
  const times = (statistic: string) =>
    alarms.ownMetric("DeliveryMilliseconds", { queue: "events" }, { statistic });
  alarms.add({
    id: "slow-deliveries",
    metric: new MathExpression({
      expression: `IF(batches >= ${failureFloor}, time, 0)`,
      usingMetrics: { batches: times(Stats.SAMPLE_COUNT), time: times(Stats.p(90)) },
      period: Duration.minutes(5),
    }),
    threshold: longestDeliveryMilliseconds,
    periods: 2,
    description: "For ten minutes, events take seconds from their commit to their recipients.",
  });
  alarms.add({
    id: "failed-posts",
    metric: failureShare({
      usingMetrics: {
        failed: alarms.ownMetric("FailedPosts", { queue: "events" }, sum),
        received: deliveries.queue.metricNumberOfMessagesReceived(sum),
      },
      failures: "FILL(failed, 0)",
      all: "received",
      floor: failureFloor,
    }),
    threshold: failurePercent,
    description: "Frames cannot be posted to sockets that are open.",
  });
  alarms.add({
    id: "failed-pushes",
    metric: failureShare({
      usingMetrics: {
        failed: alarms.ownMetric("FailedPushes", { queue: "native-pushes" }, sum),
        received: pushes.queue.metricNumberOfMessagesReceived(sum),
      },
      failures: "FILL(failed, 0)",
      all: "received",
      floor: failureFloor,
    }),
    threshold: failurePercent,
    description: "SNS does not take the pushes that wake devices.",
  });
}
