import * as z from "zod";
import type { AuditRecord } from "#shared/platform/audit/audit-record.ts";
import { declareItem, type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { auditEvents } from "#shared/registry/audit-events.ts";

const table = "webhooks";
const ofTeam = {
  team: ["teamId"],
  otherwise: "The operator's own name no team.",
} as const;

/**
 * A subscription: the receiver of some kinds of events, and the progress of the deliveries. Places are those of the
 * audit trail.
 */
export const webhookItem = storedItem(
  {
    table,
    kind: "webhook",
    key: ["webhooks#*", "*"],
    subject: { ...ofTeam, mentions: "who has created it" },
  },
  storedObject({
    webhookId: z.uuid(),
    /** The chain of the audit trail whose events it gets: its team's; of the operator's, `installation`, which stands for all. */
    chain: z.string(),
    teamId: z.uuid().optional(),
    url: z.string(),
    /** Names of events, or `GROUP.*`. */
    kinds: z.array(z.string()),
    status: z.enum(["active", "off"]),
    /** Why it was switched off. */
    offReason: z.enum(["by-request", "failing", "gone"]).optional(),
    /** ISO 8601. */
    createdAt: z.string(),
    createdBy: z.string().optional(),
    /** Number of its secret, from 1. */
    secretVersion: z.int(),
    /** Until when the previous secret stays valid, in unix milliseconds. */
    formerSecretUntil: z.int().optional(),
    /** Place up to which events have been collected. */
    collectedUpTo: z.string(),
    /**
     * Place up to which events have been looked for a second time, in case they were committed late; absent until events
     * have been collected.
     */
    checkedUpTo: z.string().optional(),
    /** Events that the second look has found. */
    late: z.int().optional(),
    /** Place up to which events have been delivered or given up. */
    settledUpTo: z.string(),
    /** Events between the two. */
    waiting: z.int(),
    /** Failed attempts since the last one that succeeded. */
    failures: z.int(),
    /** Time of the first of these, in unix milliseconds. */
    failingSince: z.int().optional(),
    /** Unix milliseconds before which there is no further attempt. */
    nextAttemptAt: z.int().optional(),
    /** Whether the receiver answered quickly the last time. */
    isQuick: z.boolean().optional(),
    /** When a message about waiting events was sent that nobody has received yet, in unix milliseconds. */
    nudgedAt: z.int().optional(),
    /** The run that sends to it, and the end of its lease in unix milliseconds. */
    lease: z.string().optional(),
    leasedUntil: z.int().optional(),
  }),
);
export type Webhook = Stored<typeof webhookItem>;

/** Names a webhook. */
export type WebhookKey = Pick<Webhook, "chain" | "webhookId">;

// Number of webhooks of one owner.
declareItem(
  { table, kind: "count", key: ["counts", "*"], subject: ofTeam },
  storedObject({ chain: z.string(), teamId: z.uuid().optional(), number: z.int() }),
);

/** An event for one webhook. */
export const deliveryItem = storedItem(
  {
    table,
    kind: "delivery",
    key: ["deliveries#*", "*"],
    subject: { ...ofTeam, mentions: "who has done something, by ids, for a month" },
  },
  storedObject({
    webhookId: z.uuid(),
    teamId: z.uuid().optional(),
    /** Its place: time and id of the change, or that of `latePlace`. */
    place: z.string(),
    event: z.string(),
    /** JSON, as it is sent. */
    body: z.string(),
    /** When it was collected, in unix milliseconds. */
    waitingSince: z.int(),
    attempts: z.int(),
    deliveredAt: z.int().optional(),
    /** Time of the last attempt. */
    attemptedAt: z.int().optional(),
    /** Status of the answer, if there was one. */
    answer: z.int().optional(),
    problem: z.string().optional(),
  }),
);
export type Delivery = Stored<typeof deliveryItem>;

/** The chain of the operator's webhooks. */
export const installationChain = "installation";

/**
 * The place of an event that was found late: after all that have been collected, before the next ones.
 * @param collectedUpTo a time
 * @param number of late events before it
 */
export const latePlace = (collectedUpTo: string, number: number, place: string): string =>
  `${collectedUpTo}!${String(number).padStart(8, "0")}${place.slice(place.indexOf("#"))}`;

/** Id of an event for receivers: the same in every attempt, and for every webhook. */
export const messageIdOf = (place: string): string => `msg_${place.slice(place.indexOf("#") + 1)}`;

const events = Object.keys(auditEvents);
const groupOf = (event: string) => `${event.slice(0, event.indexOf("."))}.*`;

/** Everything that a webhook can subscribe to: each event of the audit trail, and each group of them. */
export const webhookKinds = [...new Set(events.map(groupOf)), ...events] as readonly string[];

/** Names of the events that some kinds include. */
export const eventsOf = (kinds: readonly string[]): string[] =>
  events.filter((event) => kinds.includes(event) || kinds.includes(groupOf(event)));

/** The owner has the maximum number of webhooks. */
export class TooManyWebhooksError extends Error {
  override readonly name = "TooManyWebhooksError";
}

/** The webhook does not exist any more. */
export class WebhookNotFoundError extends Error {
  override readonly name = "WebhookNotFoundError";
}

/**
 * The data of a change for a receiver: actor, event, time and ids, but neither networks nor names of the operator's
 * staff.
 */
export function webhookBody({ actor, event, operation, target, team, time }: AuditRecord): string {
  const { principal: _, ...who } = actor;
  return JSON.stringify({
    type: event,
    timestamp: time,
    data: { operation, actor: who, target, ...(team !== undefined && { team }) },
  });
}
