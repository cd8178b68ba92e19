import {
  isNotificationId,
  millisecondsOf,
  type Notification,
  sequenceNumberOf,
  streams,
} from "#shared/events/notification.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "./deps.ts";
import { isExpired, isVisible, type NotificationView, toViews } from "./view.ts";

/** Limit on the JSON of one response: Lambda returns up to 6 MB. */
const maxPageBytes = 5 * 1024 * 1024;
/** Notifications whose payloads are fetched together. */
const batchSize = 50;

export interface Page {
  readonly notifications: NotificationView[];
  readonly hasMore: boolean;
  /** Whether the notification named by `since` is no longer known, so that the list starts elsewhere. */
  readonly isSinceUnknown: boolean;
}

/**
 * List the notifications of a user in order, after the one named by `since`.
 *
 * @param command.forgivesUnknownSince whether a malformed or unknown `since` lists what may be newer, instead of
 *   failing
 * @throws ApiError `bad-request` for a malformed `since`, `not-found` for an unknown one
 * @see operation `get-notifications`
 */
export async function listNotifications(
  deps: Deps,
  command: { userId: string; clientId?: string; since?: string; size: number; forgivesUnknownSince: boolean },
): Promise<Page> {
  const { clientId, since, size } = command;
  const { entries, isSinceUnknown } = await startAfter(deps, command);
  const notifications: NotificationView[] = [];
  let bytes = 0;
  for await (const batch of batches(visible(entries))) {
    for (const view of await toViews(deps, batch)) {
      bytes += bytesOf(view);
      const isFull = notifications.length === size || (bytes > maxPageBytes && notifications.length > 0);
      if (isFull) return { notifications, hasMore: true, isSinceUnknown };
      notifications.push(view);
    }
  }
  return { notifications, hasMore: false, isSinceUnknown };

  async function* visible(all: AsyncIterable<Notification>) {
    for await (const entry of all) if (!isExpired(entry, deps) && isVisible(entry, clientId)) yield entry;
  }

  async function startAfter(
    { notifications: store }: Deps,
    { userId, forgivesUnknownSince }: typeof command,
  ) {
    const stream = streams.user(userId);
    if (since === undefined) return { entries: store.after(stream, 0), isSinceUnknown: false };
    if (!isNotificationId(since)) {
      if (!forgivesUnknownSince)
        throw new ApiError("bad-request", { message: "query.since: not a notification id" });
      return { entries: store.after(stream, 0), isSinceUnknown: true };
    }
    const entries = store.after(stream, sequenceNumberOf(since) - 1);
    const first = (await entries.next()).value;
    if (first?.id === since.toLowerCase() && !isExpired(first, deps))
      return { entries, isSinceUnknown: false };
    if (!forgivesUnknownSince) throw new ApiError("not-found");
    return { entries: newerThan(store.after(stream, 0), millisecondsOf(since)), isSinceUnknown: true };
  }
}

/** Size in the function's response, where the body is a string within JSON. */
const bytesOf = (view: NotificationView) => Buffer.byteLength(JSON.stringify(JSON.stringify(view)));

async function* batches(entries: AsyncIterable<Notification>) {
  let batch: Notification[] = [];
  for await (const entry of entries) {
    batch.push(entry);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function* newerThan(entries: AsyncIterable<Notification>, milliseconds: number) {
  for await (const entry of entries) if (millisecondsOf(entry.id) > milliseconds) yield entry;
}
