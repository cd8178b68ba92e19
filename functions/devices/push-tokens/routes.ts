import { pushTokenView } from "#shared/events/push/push-token-view.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import * as schemas from "./schemas.ts";

export const routes = defineRoutes({
  "register-push-token": {
    method: "POST",
    audit: unaudited.ownState,
    path: "/push/tokens",
    auth: "user",
    summary: "Register a push token",
    description:
      "Replaces the device's token for the same app. Registering a token again refreshes it. At the limit, " +
      "by default 20 tokens, a new one replaces your oldest. If the push provider later rejects a token, " +
      "it is removed, and its device gets `user.push-remove`.",
    body: schemas.newPushToken,
    responses: { 201: pushTokenView },
    responseHeaders: { Location: "The push token" },
    errors: [
      "apns-voip-not-supported",
      "app-not-found",
      "push-token-rejected",
      "token-too-long",
      "metadata-too-long",
      "sns-thread-budget-reached",
      "too-many-requests",
    ],
  },
  "get-push-tokens": {
    method: "GET",
    path: "/push/tokens",
    auth: "user",
    summary: "List your push tokens",
    responses: { 200: schemas.pushTokenList },
    errors: [],
  },
  "delete-push-token": {
    method: "DELETE",
    audit: unaudited.ownState,
    path: "/push/tokens/{pid}",
    takesRest: true,
    endsInSecret: true,
    auth: "user",
    summary: "Remove a push token",
    description: "For all apps and devices for which you have registered it.",
    params: schemas.tokenPath,
    responses: { 204: null },
    errors: ["push-token-not-found"],
  },
  "i-get-push-tokens": {
    method: "GET",
    path: "/i/push-tokens/{uid}",
    auth: "internal",
    summary: "List the push tokens of a user",
    params: schemas.userPath,
    responses: { 200: schemas.pushTokenList },
    errors: [],
  },
});
