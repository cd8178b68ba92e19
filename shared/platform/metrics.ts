import type { QueueName } from "#shared/registry/queues.ts";
import type { Log } from "./log.ts";

/** Namespace of all metrics that functions write to their logs. */
export const metricNamespace = "Parley";

/** What tells the metrics of one name apart. */
export type MetricDimensions = Readonly<Record<(typeof dimensions)[number], string>>;
const dimensions = ["stage", "queue"] as const;

/** Metrics that CDK builds graphs and alarms on. */
export type MetricName =
  | "OldestOutboxItemSeconds"
  | "DeliveryMilliseconds"
  | "FailedPosts"
  | "ParkedMessages"
  | "RefusedMails";

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
  log.metric({
    _aws: {
      Timestamp: Date.now(),
      CloudWatchMetrics: [
        { Namespace: metricNamespace, Dimensions: [dimensions], Metrics: [{ Name: name, Unit: unit }] },
      ],
    },
    queue,
    [name]: value,
  });
}
