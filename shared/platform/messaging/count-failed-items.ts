import type { Log } from "../log.ts";
import { emitMetric } from "../metrics.ts";
import type { QueueName } from "../product.ts";

/**
 * Count messages that a worker returns to its queue: its runs end without an error, so no other metric shows them.
 * Nothing is written when none failed.
 */
export function countFailedItems(queue: QueueName, count: number, log: Log): void {
  if (count > 0) emitMetric("FailedItems", { value: count, unit: "Count", queue, log });
}
