import * as z from "zod";
import * as primitives from "#shared/schemas/primitives.ts";

const clientId = z.string().min(1).max(64);

export const notificationsQuery = z.object({
  /** Checked by the use case: what is wrong with it is answered differently by version. */
  since: z.string().max(64).optional(),
  client: clientId.optional(),
  size: z.coerce.number().int().min(100).max(10_000).default(1000),
});

export const clientQuery = z.object({ client: clientId.optional() });

export const teamNotificationsQuery = z.object({
  since: z.string().max(64).optional(),
  size: z.coerce.number().int().min(1).max(10_000).default(1000),
});

/** Read by the `$connect` function of `websocket`; here for the API document. */
export const awaitQuery = z.object({ client: z.string().optional(), access_token: z.string().optional() });
export const eventsQuery = awaitQuery.extend({
  client_id: z.string().optional(),
  /** From version 9: comes back once the socket has caught up. */
  sync_marker: z.string().optional(),
});

export const notificationPath = z.object({ id: z.string().max(64) });

export const devicePath = z.object({ uid: primitives.uuid, cid: clientId });

export const queuedNotification = z
  .object({ id: z.uuid(), payload: z.array(z.looseObject({ type: z.string() })).min(1) })
  .meta({ id: "QueuedNotification" });

export const queuedNotificationList = z
  .object({
    notifications: z.array(queuedNotification),
    has_more: z.boolean(),
    time: primitives.utcTime,
  })
  .meta({ id: "QueuedNotificationList" });

export const teamNotificationList = queuedNotificationList
  .omit({ time: true })
  .meta({ id: "TeamNotificationList" });
