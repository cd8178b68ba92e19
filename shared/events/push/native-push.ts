import * as z from "zod";
import { causedBy } from "#shared/platform/messaging/outbox-item.ts";
import { pushTransport } from "#shared/registry/settings/push.ts";

/** How soon a device is woken: a push of low priority may wait until the device is in use. */
export const pushPriority = z.enum(["low", "high"]);
export type PushPriority = z.infer<typeof pushPriority>;

/** What the queue `native-pushes` carries: a device to wake because of a notification that no socket has brought. */
export const nativePush = z.object({
  ...causedBy,
  userId: z.uuid(),
  notificationId: z.uuid(),
  transport: pushTransport,
  endpointArn: z.string(),
  priority: pushPriority,
});
export type NativePush = z.infer<typeof nativePush>;
