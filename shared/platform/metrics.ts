import type { QueueName } from "#shared/registry/queues.ts";
import type { Log } from "./log.ts";

/** Namespace of all metrics that functions write to their logs. */
export const metricNamespace = "Parley";

/** Metrics that CDK builds graphs and alarms on. */
export type MetricName = "OldestOutboxItemSeconds" | "DeliveryMilliseconds" | "FailedPosts" | "RefusedMails";

/** Writes a log line in CloudWatch's embedded metric format: no call, no waiting. */
export function emitMetric(
  name: MetricName,
  {
    value,
    unit,
    queue,
    log,
  }: { value: number; unit: "Seconds" | "Milliseconds" | "Count"; queue: QueueName; log: Log },
): void {
  log.info("metric", {
    _aws: {
      Timestamp: Date.now(),
      CloudWatchMetrics: [
        { Namespace: "Parley", Dimensions: [["queue"]], Metrics: [{ Name: name, Unit: unit }] },
      ],
    },
    queue,
    [name]: value,
  });
}
