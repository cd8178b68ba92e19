import { defineRoutes } from "#shared/http/route.ts";
import * as schemas from "./schemas.ts";

export const routes = defineRoutes({
  "get-notifications": {
    method: "GET",
    path: "/notifications",
    auth: "user",
    summary: "List the own notifications, oldest first",
    query: schemas.notificationsQuery,
    // 404 with a list is how versions before 3 say that `since` is not known any more.
    responses: { 200: schemas.queuedNotificationList, 404: schemas.queuedNotificationList },
    errors: ["not-found"],
  },
  "get-last-notification": {
    method: "GET",
    path: "/notifications/last",
    auth: "user",
    summary: "Get the newest own notification",
    query: schemas.clientQuery,
    responses: { 200: schemas.queuedNotification },
    errors: ["not-found"],
  },
  "get-notification-by-id": {
    method: "GET",
    path: "/notifications/{id}",
    auth: "user",
    summary: "Get one of the own notifications",
    params: schemas.notificationPath,
    query: schemas.clientQuery,
    responses: { 200: schemas.queuedNotification },
    errors: ["not-found"],
  },
  "get-team-notifications": {
    method: "GET",
    path: "/teams/notifications",
    auth: "user",
    summary: "List who has joined the own team, oldest first",
    query: schemas.teamNotificationsQuery,
    responses: { 200: schemas.teamNotificationList },
    errors: ["invalid-notification-id", "no-team"],
  },
  "await-notifications": {
    method: "GET",
    path: "/await",
    auth: "none",
    summary: "Open a socket that gets notifications as they come",
    responses: { 426: null },
    errors: [],
  },
  "consume-events": {
    method: "GET",
    path: "/events",
    since: 8,
    auth: "none",
    summary: "Open a socket that gets the device's queue of events, with acknowledgement",
    responses: { 426: null },
    errors: [],
  },
  "i-create-consumable-notifications": {
    method: "POST",
    path: "/i/users/{uid}/clients/{cid}/consumable-notifications",
    auth: "internal",
    summary: "Create a device's queue of events",
    params: schemas.devicePath,
    responses: { 204: null },
    errors: [],
  },
});
