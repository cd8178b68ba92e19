import * as z from "zod";
import { causedBy } from "#shared/platform/messaging/outbox-item.ts";
import { pushTransport } from "#shared/registry/settings/push.ts";

/** How urgently a device is woken: a push of low priority may wait until the device is in use. */
export const pushPriority = z.enum(["low", "high"]);
export type PushPriority = z.infer<typeof pushPriority>;

/** Message of the queue `native-pushes`: a device to wake because no socket has delivered a notification. */
export const nativePush = z.object({
  ...causedBy,
  userId: z.uuid(),
  notificationId: z.uuid(),
  transport: pushTransport,
  endpointArn: z.string(),
  priority: pushPriority,
});
export type NativePush = z.infer<typeof nativePush>;
