import type { Log } from "../log.ts";
import { emitMetric } from "../metrics.ts";
import { type UnreadableItemError, unreadableItems } from "./unreadable-item.ts";

/**
 * Log and count stored items that cannot be read, even where they count as absent. The first logger of a process gets
 * all of them.
 */
export function countUnreadableItems(log: Log, reports = unreadableItems): void {
  if (reports.hasSubscribers) return;
  reports.subscribe((message) => {
    const { table, kind, fields } = message as UnreadableItemError;
    log.error("unreadable-item", { table, kind, fields });
    emitMetric("UnreadableItems", { value: 1, unit: "Count", store: "all", log });
  });
}
