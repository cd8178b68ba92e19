import {
  isNotificationId,
  millisecondsOf,
  type Notification,
  sequenceNumberOf,
  streams,
} from "#shared/events/notification.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "./deps.ts";
import { keptEntries } from "./kept-entries.ts";
import { readPage } from "./read-page.ts";
import { isExpired, isVisible, type NotificationView } from "./view.ts";

interface Command {
  readonly userId: string;
  readonly clientId?: string;
  readonly since?: string;
  readonly size: number;
  readonly forgivesUnknownSince: boolean;
}

export interface Page {
  readonly notifications: NotificationView[];
  readonly hasMore: boolean;
  /** Whether the notification named by `since` is unknown, so that the list starts elsewhere. */
  readonly isSinceUnknown: boolean;
}

/**
 * List the notifications of a user in order, after the one named by `since`.
 *
 * @param command.forgivesUnknownSince whether a malformed or unknown `since` lists what may be newer instead of failing
 * @throws ApiError `bad-request` for a malformed `since`, `not-found` for an unknown one
 * @see operation `get-notifications`
 */
export async function listNotifications(deps: Deps, command: Command): Promise<Page> {
  const { clientId, size } = command;
  const { entries, isSinceUnknown } = await startAfter(deps, command);
  return { ...(await readPage(deps, visible(entries), { size })), isSinceUnknown };

  async function* visible(all: AsyncIterable<Notification>) {
    for await (const entry of all) if (!isExpired(entry, deps) && isVisible(entry, clientId)) yield entry;
  }
}

/** Where the list starts, and whether `since` is unknown. Reads as many entries at a time as one page may need. */
async function startAfter(
  deps: Deps,
  { userId, since, size, forgivesUnknownSince }: Command,
): Promise<{ entries: AsyncGenerator<Notification>; isSinceUnknown: boolean }> {
  const stream = streams.user(userId);
  // The notification named by `since`, the page, and one more to know whether another page follows.
  const pageSize = size + 2;
  if (since === undefined) return { entries: keptEntries(deps, stream, { pageSize }), isSinceUnknown: false };
  if (!isNotificationId(since)) {
    if (!forgivesUnknownSince) {
      throw new ApiError("bad-request", { message: "query.since: not a notification id" });
    }
    return { entries: keptEntries(deps, stream, { pageSize }), isSinceUnknown: true };
  }
  const entries = deps.notifications.after(stream, sequenceNumberOf(since) - 1, pageSize);
  const first = (await entries.next()).value;
  if (first?.id === since.toLowerCase() && !isExpired(first, deps)) return { entries, isSinceUnknown: false };
  if (!forgivesUnknownSince) throw new ApiError("not-found");
  const newer = keptEntries(deps, stream, { newerThan: millisecondsOf(since), pageSize });
  return { entries: newer, isSinceUnknown: true };
}
