import * as z from "zod";
import { pushTransport } from "#shared/registry/settings/push.ts";
import { defineEvent } from "../event.ts";
import type { PushToken } from "./push-token.ts";

export const app = z.string().meta({ description: "Name of the app at its push provider" });
export const clientId = z.string().meta({ description: "Id of the device" });

/** A push token as clients see it (published schema `PushToken`). */
export const pushTokenView = z
  .object({
    transport: pushTransport.meta({ description: "Push provider: FCM (`GCM`), or APNs and its sandbox" }),
    app,
    token: z.string().meta({ description: "Token that the provider gave the device" }),
    client: clientId,
  })
  .meta({ id: "PushToken" });

export const toPushTokenView = ({
  transport,
  app,
  token,
  clientId,
}: PushToken): z.input<typeof pushTokenView> => ({
  transport,
  app,
  token,
  client: clientId,
});

/** A push token has become useless. Only its device gets the event. */
export const userPushRemove = defineEvent({
  type: "user.push-remove",
  summary: "The push provider no longer accepts your device's push token: register a new one",
  recipients: "self",
  schema: z.object({ token: pushTokenView }),
});
