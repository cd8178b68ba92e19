import {
  isNotificationId,
  millisecondsOf,
  type Notification,
  sequenceNumberOf,
  streams,
} from "#shared/events/notification.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "./deps.ts";
import { readPage } from "./read-page.ts";
import { isExpired, isVisible, type NotificationView } from "./view.ts";

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
  return { ...(await readPage(deps, visible(entries), { size })), isSinceUnknown };

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

async function* newerThan(entries: AsyncIterable<Notification>, milliseconds: number) {
  for await (const entry of entries) if (millisecondsOf(entry.id) > milliseconds) yield entry;
}
