import type * as z from "zod";
import type { Notification } from "#shared/events/notification.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import type { Deps } from "./deps.ts";
import type { queuedNotification } from "./routes.ts";

export type NotificationView = z.input<typeof queuedNotification>;

/** Whether the device may see a notification; without a device, true for all of the user's. */
export const isVisible = ({ clientIds }: Notification, clientId: string | undefined) =>
  clientIds === undefined || clientId === undefined || clientIds.includes(clientId);

export const isExpired = ({ expiresAt }: Notification, { clock }: Deps) => expiresAt <= toSeconds(clock());

/** Load the events of notifications; a notification whose events are gone is left out. */
export async function toViews(
  { notifications }: Deps,
  entries: readonly Notification[],
): Promise<NotificationView[]> {
  const views = await notifications.withPayloads(entries);
  return views.map(({ id, payload }) => ({ id, payload: payload as NotificationView["payload"] }));
}
