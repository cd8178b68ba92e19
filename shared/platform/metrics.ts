import type { Log } from "./log.ts";
import type { QueueName } from "./product.ts";

/** Namespace of all metrics that functions write to their logs. */
export const metricNamespace = "Parley";

/** Dimensions of metrics of one name. */
export type MetricDimensions = Readonly<{ stage: string }> & MetricSubject;
/**
 * Subject of a metric: a queue with its worker, the outbox, one of the two APIs, the relays, the switches, the tables,
 * a step of the canary, or an activity of users.
 */
export type MetricSubject =
  | { readonly queue: QueueName }
  | { readonly outbox: "all" }
  | { readonly audience: "public" | "internal" }
  | { readonly service: "relay" | "switches" }
  | { readonly store: "all" }
  | { readonly canary: string }
  | { readonly usage: "all" };

/** Metrics that CDK builds graphs and alarms on. */
export type MetricName =
  | "OldestOutboxItemSeconds"
  | "DeliveryMilliseconds"
  | "FailedItems"
  | "FailedPosts"
  | "FailedSocketRequests"
  | "FloodedSockets"
  | "FailedPushes"
  | "LostBotEvents"
  | "ParkedMessages"
  | "PausedOperations"
  | "RefusedMails"
  | "DeliberateServerErrors"
  | "UnreadableItems"
  | "CanaryFailures"
  | "CanaryMilliseconds"
  | "OpenSockets"
  | "FrameDelayMilliseconds"
  | "ActiveUsers"
  | "MonthlyUsers"
  | "Registrations"
  | "FailedLogins"
  | "Messages"
  | "Deliveries";

/** Writes a log line in CloudWatch's embedded metric format: no call, no waiting. */
export function emitMetric(
  name: MetricName,
  {
    value,
    unit,
    log,
    ...subject
  }: { value: number; unit: "Seconds" | "Milliseconds" | "Count"; log: Log } & MetricSubject,
): void {
  const dimensions = ["stage", ...Object.keys(subject)];
  log.metric({
    _aws: {
      Timestamp: Date.now(),
      CloudWatchMetrics: [
        { Namespace: metricNamespace, Dimensions: [dimensions], Metrics: [{ Name: name, Unit: unit }] },
      ],
    },
    ...subject,
    [name]: value,
  });
}
