import type * as z from "zod";
import { toSeconds } from "#shared/clock.ts";
import type { Notification } from "#shared/data/notification/notification.ts";
import type { Deps } from "./deps.ts";
import type { queuedNotification } from "./schemas.ts";

export type NotificationView = z.input<typeof queuedNotification>;

/** Whether a device may see it; without a device, everything of the user counts. */
export const isVisible = ({ clientIds }: Notification, clientId: string | undefined) =>
  clientIds === undefined || clientId === undefined || clientIds.includes(clientId);

export const isExpired = ({ expiresAt }: Notification, { clock }: Deps) => expiresAt <= toSeconds(clock());

/** With their events; an entry whose events are gone is left out. */
export async function toViews(
  { notifications }: Deps,
  entries: readonly Notification[],
): Promise<NotificationView[]> {
  const views = await notifications.withPayloads(entries);
  return views.map(({ id, payload }) => ({ id, payload: payload as NotificationView["payload"] }));
}
