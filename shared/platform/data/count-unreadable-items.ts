import type { Log } from "../log.ts";
import { emitMetric } from "../metrics.ts";
import { type UnreadableItemError, unreadableItems } from "./unreadable-item.ts";

/** Log and count stored items that cannot be read, also where they count as absent. The first log of a process gets all. */
export function countUnreadableItems(log: Log, reports = unreadableItems): void {
  if (reports.hasSubscribers) return;
  reports.subscribe((message) => {
    const { table, kind, fields } = message as UnreadableItemError;
    log.error("unreadable-item", { table, kind, fields });
    emitMetric("UnreadableItems", { value: 1, unit: "Count", store: "all", log });
  });
}
