import type { Log } from "./log.ts";
import type { QueueName } from "./messaging/queues.ts";

/** Of all metrics that functions put into their logs. */
export const metricNamespace = "Parley";

/** CDK makes graphs and alarms of them. */
export type MetricName = "OldestOutboxItemSeconds" | "DeliveryMilliseconds";

/** A log line in CloudWatch's embedded metric format: no call, no waiting. */
export function emitMetric(
  name: MetricName,
  {
    value,
    unit,
    queue,
    log,
  }: { value: number; unit: "Seconds" | "Milliseconds"; queue: QueueName; log: Log },
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
