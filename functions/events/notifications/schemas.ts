import * as z from "zod";
import { deviceId } from "#shared/platform/http/device-id.ts";
import * as wire from "#shared/platform/http/wire-types.ts";

const clientId = deviceId.meta({
  description: "Id of your device: leaves out what is not for it, and records it as active",
});
/** Any text, which the use cases check, because the answer to a malformed id depends on version and operation. */
const since = z
  .string()
  .optional()
  .meta({ description: "Id of the last notification that you have; the list starts after it" });

export const notificationsQuery = z.object({
  since,
  client: clientId.optional(),
  size: z.coerce
    .number()
    .int()
    .min(100)
    .max(10_000)
    .default(1000)
    .meta({ description: "Maximum number of notifications in the answer" }),
});

export const clientQuery = z.object({ client: clientId.optional() });

export const teamNotificationsQuery = z.object({
  since: since.meta({ description: "Id of the last notification that you have; the list starts with it" }),
  size: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(1000)
    .meta({ description: "Maximum number of notifications in the answer" }),
});

/** Read by the `$connect` function of `websocket`; here for the API document. */
export const awaitQuery = z.object({
  client: z.string().optional().meta({
    description: "Id of your device: leaves out what is not for it. An unknown one is not refused",
  }),
  access_token: z
    .string()
    .optional()
    .meta({ description: "Access token, if the header `Authorization` cannot be set" }),
});
export const eventsQuery = awaitQuery.extend({
  client_id: z.string().optional().meta({
    description:
      "Id of your device; without it, events come from a temporary queue that ends with the socket",
  }),
  sync_marker: z
    .string()
    .optional()
    .meta({ description: "From version 9: text that the service sends back after all older events" }),
});

export const notificationPath = z.object({
  id: z.string().max(64).meta({ description: "Id of a notification" }),
});

export const devicePath = z.object({
  uid: wire.userId,
  cid: clientId.meta({ description: "Id of a device of the user" }),
});

export const queuedNotification = z
  .object({
    id: z.uuid().meta({ description: "Increases with time" }),
    payload: z
      .array(z.looseObject({ type: z.string() }).meta({ shownAs: "Event" }))
      .min(1)
      .meta({ description: "Events; the webhooks of this document explain each type" }),
  })
  .meta({ id: "QueuedNotification" });

export const queuedNotificationList = z
  .object({
    notifications: z.array(queuedNotification),
    has_more: wire.hasMore,
    time: wire.utcTime.meta({ description: "Time of the service, with milliseconds" }),
  })
  .meta({ id: "QueuedNotificationList" });

export const teamNotificationList = queuedNotificationList
  .omit({ time: true })
  .meta({ id: "TeamNotificationList" });
