import * as z from "zod";
import { app, clientId, pushTokenView } from "#shared/events/push/push-token-view.ts";
import { deviceId } from "#shared/platform/http/device-id.ts";
import { userId } from "#shared/platform/http/wire-types.ts";

export const newPushToken = z
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

export const pushTokenList = z.object({ tokens: z.array(pushTokenView) }).meta({ id: "PushTokenList" });

export const tokenPath = z.object({ pid: z.string().meta({ description: "The push token" }) });
export const userPath = z.object({ uid: userId });
