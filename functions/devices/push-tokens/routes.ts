import * as z from "zod";
import { app, clientId, pushTokenView } from "#shared/events/push/push-token-view.ts";
import { deviceId } from "#shared/platform/http/device-id.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { userId } from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";

const newPushToken = z
  .object({
    transport: z.enum(["GCM", "APNS", "APNS_SANDBOX", "APNS_VOIP", "APNS_VOIP_SANDBOX"]).meta({
      id: "Transport",
      description: "Push provider: FCM (`GCM`), or APNs and its sandbox. The VoIP variants are refused.",
    }),
    app: app.max(256),
    token: z.string().meta({ description: "Token that the provider gave the device" }),
    client: deviceId.meta(clientId.meta() ?? {}),
  })
  .meta({
    id: "PushTokenRegistration",
    examples: [
      { transport: "GCM", app: "com.example.messenger", token: "fGx1Q:APA91bH", client: "7a0c9b3e5d1f2846" },
    ],
  });
export type NewPushToken = z.output<typeof newPushToken>;

const pushTokenList = z.object({ tokens: z.array(pushTokenView) }).meta({ id: "PushTokenList" });

const tokenPath = z.object({ pid: z.string().meta({ description: "The push token" }) });
const userPath = z.object({ uid: userId });

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
    body: newPushToken,
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
    responses: { 200: pushTokenList },
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
    params: tokenPath,
    responses: { 204: null },
    errors: ["push-token-not-found"],
  },
  "i-get-push-tokens": {
    method: "GET",
    path: "/i/push-tokens/{uid}",
    auth: "internal",
    summary: "List the push tokens of a user",
    params: userPath,
    responses: { 200: pushTokenList },
    errors: [],
  },
});
