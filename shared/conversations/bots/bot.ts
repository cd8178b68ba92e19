import * as z from "zod";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";

/** A bot, by which the conversations of a service are found; its profile is an account, its keys are a device. */
export const botItem = storedItem(
  { table: "services", kind: "bot", key: ["bots#*", "bot#*"], subject: { nobody: "a program" } },
  storedObject({
    botId: z.uuid(),
    providerId: z.uuid(),
    serviceId: z.uuid(),
    conversationId: z.uuid(),
    /** Team that owns the conversation. */
    teamId: z.uuid().optional(),
  }),
);
export type Bot = Stored<typeof botItem>;
