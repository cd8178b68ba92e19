import * as z from "zod";

/** A bot, by which the conversations of a service are found; its profile is an account, its keys are a device. */
export const botItem = z.object({
  botId: z.uuid(),
  providerId: z.uuid(),
  serviceId: z.uuid(),
  conversationId: z.uuid(),
  /** Team that owns the conversation. */
  teamId: z.uuid().optional(),
});
export type Bot = z.infer<typeof botItem>;
