import * as z from "zod";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import type { Service } from "./service.ts";

/**
 * Note that the events of a bot go to the queue for slow and failing bots, until the last of them is delivered. Other bots
 * have none.
 */
export const botBacklogItem = storedItem(
  { table: "services", kind: "bot-backlog", key: ["bot#*", "backlog#*"], subject: { nobody: "a program" } },
  storedObject({
    botId: z.uuid(),
    /** Id of the last event that went there; see `botEvent`. */
    lastEventId: z.uuid(),
    /** Events in a row that could not be delivered. */
    failures: z.int(),
    /** Unix milliseconds until which nothing is delivered, because too many deliveries in a row have failed. */
    restsUntil: z.int().optional(),
    /** Revision of the service that failed; a changed one gets another chance. */
    serviceRevision: z.int().optional(),
  }),
);
export type BotBacklog = Stored<typeof botBacklogItem>;

/** Whether a bot gets nothing for now; a service that has changed since it failed gets another chance. */
export const isResting = (
  { restsUntil = 0, serviceRevision }: Pick<BotBacklog, "restsUntil" | "serviceRevision">,
  { revision }: Pick<Service, "revision">,
  now: number,
): boolean => serviceRevision === revision && now < restsUntil;
