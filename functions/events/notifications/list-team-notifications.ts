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
import { isExpired, type NotificationView } from "./view.ts";

/**
 * List the notifications that members of large teams read instead of events about each other. The notification named by
 * `since` is listed again if it still exists, in addition to `size`.
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
  const entries = startAt(deps, streams.team(account.teamId), { since: sinceId, pageSize: size + 2 });
  return readPage(deps, live(entries), { size, extraId: sinceId });

  async function* live(all: AsyncIterable<Notification>) {
    for await (const entry of all) if (!isExpired(entry, deps)) yield entry;
  }
}

/** Starts at the notification named by `since`; if that is gone, at the first one with a later timestamp. */
async function* startAt(
  deps: Deps,
  stream: string,
  { since, pageSize }: { since: string | undefined; pageSize: number },
) {
  if (since === undefined) return yield* keptEntries(deps, stream, { pageSize });
  const entries = deps.notifications.after(stream, sequenceNumberOf(since) - 1, pageSize);
  const { value: first } = await entries.next();
  if (first?.id === since) {
    yield first;
    return yield* entries;
  }
  yield* keptEntries(deps, stream, { newerThan: millisecondsOf(since), pageSize });
}
