import {
  isNotificationId,
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

  const start = since === undefined ? 0 : positionOf(since) - 1;
  const found: Notification[] = [];
  let limit = size;
  let hasMore = false;
  for await (const entry of deps.notifications.after(streams.team(account.teamId), start)) {
    if (isExpired(entry, deps)) continue;
    if (entry.id === since) limit++;
    if (found.length === limit) {
      hasMore = true;
      break;
    }
    found.push(entry);
  }
  return { notifications: await toViews(deps, found), hasMore };
}
