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
import { isExpired, isVisible, type NotificationView, toViews } from "./view.ts";

/** Limit on the JSON of one response: Lambda returns up to 6 MB. */
const maxPageBytes = 5 * 1024 * 1024;
/** Notifications whose payloads are fetched together: at first, and at most. */
const firstBatchSize = 20;
const maxBatchSize = 100;

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
export async function listNotifications(deps: Deps, command: Command): Promise<Page> {
  const { clientId, size } = command;
  const { entries, isSinceUnknown } = await startAfter(deps, command);
  const notifications: NotificationView[] = [];
  let bytes = 0;
  let batch: Notification[] = [];

  /** Appends the batch, with its payloads. @returns false if not all of it fits into the page */
  async function show(): Promise<boolean> {
    for (const view of await toViews(deps, batch)) {
      bytes += bytesOf(view);
      if (bytes > maxPageBytes && notifications.length > 0) return false;
      notifications.push(view);
    }
    batch = [];
    return true;
  }

  for await (const entry of entries) {
    if (isExpired(entry, deps) || !isVisible(entry, clientId)) continue;
    const isComplete = notifications.length + batch.length === size;
    if (isComplete || batch.length === nextBatchSize(notifications.length, bytes)) {
      const fits = await show();
      if (isComplete || !fits) return { notifications, hasMore: true, isSinceUnknown };
    }
    batch.push(entry);
  }
  return { hasMore: !(await show()), notifications, isSinceUnknown };
}

/** Where the list starts, and whether `since` is unknown. Reads as many entries at a time as one page may need. */
async function startAfter(
  deps: Deps,
  { userId, since, size, forgivesUnknownSince }: Command,
): Promise<{ entries: AsyncGenerator<Notification>; isSinceUnknown: boolean }> {
  const stream = streams.user(userId);
  // The one that `since` names, the page, and one more that tells whether there are more.
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

/** How many payloads to fetch next: as many as there is room for, if they are as large as the ones before. */
function nextBatchSize(shown: number, bytes: number): number {
  if (shown === 0) return firstBatchSize;
  const fitting = Math.floor(((maxPageBytes - bytes) * shown) / bytes);
  return Math.min(Math.max(fitting, 1), maxBatchSize);
}

/** Size in the function's response, where the body is a string within JSON. */
const bytesOf = (view: NotificationView) => Buffer.byteLength(JSON.stringify(JSON.stringify(view)));
