import * as z from "zod";
import { deviceId } from "#shared/platform/http/device-id.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";

const clientId = deviceId.meta({
  description: "Id of your device: leaves out what is not for it, and records it as active",
});
/** Any text, which the use cases check, because the answer to a malformed id depends on version and operation. */
const since = z
  .string()
  .optional()
  .meta({ description: "Id of the last notification that you have; the list starts after it" });

const notificationsQuery = z.object({
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

const clientQuery = z.object({ client: clientId.optional() });

const teamNotificationsQuery = z.object({
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
const awaitQuery = z.object({
  client: z.string().optional().meta({
    description: "Id of your device: leaves out what is not for it. An unknown one is not refused",
  }),
  access_token: z
    .string()
    .optional()
    .meta({ description: "Access token, if the header `Authorization` cannot be set" }),
});
const eventsQuery = awaitQuery.extend({
  client_id: z.string().optional().meta({
    description:
      "Id of your device; without it, events come from a temporary queue that ends with the socket",
  }),
  sync_marker: z
    .string()
    .optional()
    .meta({ description: "From version 9: text that the service sends back after all older events" }),
});

const notificationPath = z.object({
  id: z.string().max(64).meta({ description: "Id of a notification" }),
});

const devicePath = z.object({
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

const queuedNotificationList = z
  .object({
    notifications: z.array(queuedNotification),
    has_more: wire.hasMore,
    time: wire.utcTime.meta({ description: "Time of the service, with milliseconds" }),
  })
  .meta({ id: "QueuedNotificationList" });

const teamNotificationList = queuedNotificationList.omit({ time: true }).meta({ id: "TeamNotificationList" });

export const routes = defineRoutes({
  "get-notifications": {
    method: "GET",
    path: "/notifications",
    auth: "user",
    allowsLegalHold: true,
    summary: "List your notifications, oldest first",
    description:
      "Notifications are kept for four weeks. If the one named by `since` is gone, the answer is 404: up " +
      "to version 2 with everything newer, from version 3 with an error. A page can end before `size` if " +
      "`has_more` is true.",
    query: notificationsQuery,
    // Before version 3, 404 with a list says that `since` is no longer known.
    responses: { 200: queuedNotificationList, 404: queuedNotificationList },
    errors: ["not-found"],
  },
  "get-last-notification": {
    method: "GET",
    path: "/notifications/last",
    auth: "user",
    allowsLegalHold: true,
    summary: "Get your latest notification",
    query: clientQuery,
    responses: { 200: queuedNotification },
    errors: ["not-found"],
  },
  "get-notification-by-id": {
    method: "GET",
    path: "/notifications/{id}",
    auth: "user",
    allowsLegalHold: true,
    summary: "Get one of your notifications",
    params: notificationPath,
    query: clientQuery,
    responses: { 200: queuedNotification },
    errors: ["not-found"],
  },
  "get-team-notifications": {
    method: "GET",
    path: "/teams/notifications",
    hidesOtherMethods: true,
    auth: "user",
    summary: "List who joined your team, oldest first",
    description:
      "For members of large teams, who do not get an event for each new member. Repeats the notification " +
      "named by `since`.",
    query: teamNotificationsQuery,
    responses: { 200: teamNotificationList },
    errors: ["invalid-notification-id", "no-team"],
  },
  "await-notifications": {
    method: "GET",
    path: "/await",
    auth: "none",
    summary: "Open a socket that receives notifications live",
    description:
      "A WebSocket with one frame per notification; it answers `ping` with `pong`. Fetch what you " +
      "missed with `get-notifications`. Requires the access token, in the header or the query. A " +
      "request without an upgrade is 426.",
    query: awaitQuery,
    responses: { 101: null, 426: null },
    errors: [],
  },
  "consume-events": {
    method: "GET",
    path: "/events",
    since: 8,
    auth: "none",
    summary: "Open a socket that receives a device's queue of events",
    description:
      "A WebSocket. Each event carries a `delivery_tag` to acknowledge it with, and stays in the queue " +
      "until then. Requires the access token, in the header or the query. A request without an upgrade " +
      "is 426.",
    query: eventsQuery,
    responses: { 101: null, 426: null },
    errors: [],
  },
  "i-create-consumable-notifications": {
    method: "POST",
    audit: unaudited.ownState,
    path: "/i/users/{uid}/clients/{cid}/consumable-notifications",
    auth: "internal",
    summary: "Create a device's queue of events",
    params: devicePath,
    responses: { 204: null },
    errors: [],
  },
});
