import { millisecondsOf, type Notification } from "#shared/events/notification.ts";
import type { Deps } from "./deps.ts";
import { isExpired } from "./view.ts";

/**
 * Read the entries of a stream that have not expired and are newer than a given time, oldest first. Starts there
 * without reading older ones, however many a purge has left.
 *
 * @param options.newerThan unix milliseconds; absent: everything kept
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
