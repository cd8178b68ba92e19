import {
  isNotificationId,
  type Notification,
  sequenceNumberOf,
  streams,
} from "#shared/events/notification.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "./deps.ts";
import { isExpired, isVisible, type NotificationView, toViews } from "./view.ts";

/** Notifications per read while looking for one that the device may see. */
const pageSize = 10;

/** Find the newest notification that a device may see. @throws ApiError `not-found` */
export async function lastNotification(
  deps: Deps,
  userId: string,
  clientId?: string,
): Promise<NotificationView> {
  for await (const entry of deps.notifications.backwards(streams.user(userId), pageSize)) {
    if (isExpired(entry, deps)) break;
    if (isVisible(entry, clientId)) return toView(deps, entry);
  }
  throw new ApiError("not-found");
}

/**
 * Find a notification by its id.
 * @throws ApiError `not-found` for an unknown or expired notification, and for one that the device may not see
 */
export async function findNotification(
  deps: Deps,
  userId: string,
  id: string,
  clientId?: string,
): Promise<NotificationView> {
  if (!isNotificationId(id)) throw new ApiError("not-found");
  const entry = await deps.notifications.at(streams.user(userId), sequenceNumberOf(id));
  if (entry?.id !== id.toLowerCase() || isExpired(entry, deps) || !isVisible(entry, clientId)) {
    throw new ApiError("not-found");
  }
  return toView(deps, entry);
}

async function toView(deps: Deps, entry: Notification): Promise<NotificationView> {
  const [view] = await toViews(deps, [entry]);
  if (view === undefined) throw new ApiError("not-found");
  return view;
}
