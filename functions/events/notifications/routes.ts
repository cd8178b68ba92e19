import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import * as schemas from "./schemas.ts";

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
    query: schemas.notificationsQuery,
    // Before version 3, 404 with a list says that `since` is no longer known.
    responses: { 200: schemas.queuedNotificationList, 404: schemas.queuedNotificationList },
    errors: ["not-found"],
  },
  "get-last-notification": {
    method: "GET",
    path: "/notifications/last",
    auth: "user",
    allowsLegalHold: true,
    summary: "Get your latest notification",
    query: schemas.clientQuery,
    responses: { 200: schemas.queuedNotification },
    errors: ["not-found"],
  },
  "get-notification-by-id": {
    method: "GET",
    path: "/notifications/{id}",
    auth: "user",
    allowsLegalHold: true,
    summary: "Get one of your notifications",
    params: schemas.notificationPath,
    query: schemas.clientQuery,
    responses: { 200: schemas.queuedNotification },
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
    query: schemas.teamNotificationsQuery,
    responses: { 200: schemas.teamNotificationList },
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
    query: schemas.awaitQuery,
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
    query: schemas.eventsQuery,
    responses: { 101: null, 426: null },
    errors: [],
  },
  "i-create-consumable-notifications": {
    method: "POST",
    audit: unaudited.ownState,
    path: "/i/users/{uid}/clients/{cid}/consumable-notifications",
    auth: "internal",
    summary: "Create a device's queue of events",
    params: schemas.devicePath,
    responses: { 204: null },
    errors: [],
  },
});
