import {
  isNotificationId,
  millisecondsOf,
  type Notification,
  positionOf,
  streams,
} from "#shared/data/notification/notification.ts";
import { ApiError } from "#shared/errors.ts";
import type { Deps } from "./deps.ts";
import { isExpired, type NotificationView, toViews } from "./view.ts";

/**
 * What big teams read in place of events about members. The notification named by `since` is listed once more when it
 * still exists, beyond `size`.
 *
 * @throws ApiError `invalid-notification-id`, `no-team`
 * @see operation `get-team-notifications`
 */
export async function listTeamNotifications(
  deps: Deps,
  userId: string,
  { since, size }: { since?: string; size: number },
): Promise<{ notifications: NotificationView[]; hasMore: boolean }> {
  if (since !== undefined && !isNotificationId(since)) throw new ApiError("invalid-notification-id");
  const account = await deps.accounts.get(userId);
  if (account?.teamId === undefined) throw new ApiError("no-team");

  const sinceId = since?.toLowerCase();
  const found: Notification[] = [];
  let limit = size;
  let hasMore = false;
  for await (const entry of startAt(deps, streams.team(account.teamId), sinceId)) {
    if (isExpired(entry, deps)) continue;
    if (entry.id === sinceId) limit++;
    if (found.length === limit) {
      hasMore = true;
      break;
    }
    found.push(entry);
  }
  return { notifications: await toViews(deps, found), hasMore };
}

/** From the notification named by `since` on; when there is none, what is newer than its time. */
async function* startAt({ notifications }: Deps, stream: string, since: string | undefined) {
  if (since === undefined) return yield* notifications.after(stream, 0);
  const entries = notifications.after(stream, positionOf(since) - 1);
  const { value: first } = await entries.next();
  if (first?.id === since) {
    yield first;
    return yield* entries;
  }
  for await (const entry of notifications.after(stream, 0)) {
    if (millisecondsOf(entry.id) > millisecondsOf(since)) yield entry;
  }
}
