import { millisecondsOf, type Notification } from "#shared/events/notification.ts";
import type { Deps } from "./deps.ts";
import { isExpired } from "./view.ts";

/**
 * Entries of a stream that have not expired and are newer than a time, oldest first. Starts there without reading what is
 * older, of which a purge may have left much or little.
 *
 * @param options.newerThan unix milliseconds; absent: everything that is kept
 * @param options.pageSize entries per read
 */
export async function* keptEntries(
  deps: Deps,
  stream: string,
  { newerThan = 0, pageSize }: { newerThan?: number; pageSize: number },
): AsyncGenerator<Notification> {
  const { notifications } = deps;
  const isWanted = (entry: Notification) => !isExpired(entry, deps) && millisecondsOf(entry.id) > newerThan;
  const { value: first } = await notifications.after(stream, 0, 1).next();
  if (first === undefined) return;
  const start = isWanted(first)
    ? first.position
    : await notifications.findFirst(stream, first.position, isWanted);
  for await (const entry of notifications.after(stream, start - 1, pageSize))
    if (isWanted(entry)) yield entry;
}
