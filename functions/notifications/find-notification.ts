import {
  isNotificationId,
  type Notification,
  positionOf,
  streams,
} from "#shared/data/notification/notification.ts";
import { ApiError } from "#shared/errors.ts";
import type { Deps } from "./deps.ts";
import { isExpired, isVisible, type NotificationView, toViews } from "./view.ts";

/** Entries that are looked at together for one that the device may see. */
const pageSize = 10;

/** The newest notification that a device may see. @throws ApiError `not-found` */
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

/** @throws ApiError `not-found` for an unknown or expired id, and for one that the device may not see */
export async function findNotification(
  deps: Deps,
  userId: string,
  id: string,
  clientId?: string,
): Promise<NotificationView> {
  if (!isNotificationId(id)) throw new ApiError("not-found");
  const entry = await deps.notifications.at(streams.user(userId), positionOf(id));
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
