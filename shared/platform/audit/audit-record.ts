import * as z from "zod";
import { type Stored, storedItem, storedObject } from "../data/stored-item.ts";

/** Table of the audit trail. */
const table = "audit";

/** Number of partitions of an hour, each for a part of the chains. */
const partitions = 16;

const ids = z.record(z.string(), z.string());

/** One change, stored in its own transaction, or the attempts at one that were refused within an hour for the same reason. */
export const auditRecord = storedItem(
  {
    table,
    kind: "record",
    key: ["records#*", "*"],
    subject: {
      nobody:
        "who has done what, by ids, for operators and the team; `audit list` shows it to whom it concerns",
      mentions: "Who has done what stays known until the retention of the audit trail ends.",
    },
  },
  storedObject({
    /** Chain, then time and id, or the common properties of refused attempts. */
    entry: z.string(),
    /** ISO 8601; for refused attempts, the time of the last one. */
    time: z.string(),
    event: z.string(),
    operation: z.string(),
    /** The actor: a `kind` and ids. */
    actor: ids,
    /** Ids of the targets, under their names in the path of the operation. */
    target: ids,
    /** Changed fields, each with its value `before` and `after`, if there was or is one. */
    changes: z.record(z.string(), ids).optional(),
    team: z.string().optional(),
    /** Address, or the /64 prefix of an IPv6 address. */
    network: z.string().optional(),
    requestId: z.string().optional(),
    /** The operator's command to which several requests belong: its `name`, and an `id` of this run. */
    command: ids.optional(),
    /** Reason of the refusal; absent: it was done. */
    error: z.string().optional(),
    /** Number of refused attempts. */
    count: z.number().optional(),
  }),
);

export type AuditRecord = Omit<Stored<typeof auditRecord>, "entry">;

/** End of a chain: its newest file. */
export const chainHead = storedItem(
  {
    table,
    kind: "head",
    key: ["heads", "*"],
    subject: { nobody: "where a chain of the audit trail ends", mentions: "The chain of a team has its id." },
  },
  storedObject({ file: z.number(), hash: z.string(), hour: z.string() }),
);

/** The newest hour of which all chains are sealed. */
export const sealedHour = storedItem(
  {
    table,
    kind: "sealed",
    key: ["sealed", "hour"],
    subject: { nobody: "how far the audit trail is sealed" },
  },
  storedObject({ hour: z.string() }),
);

/** How far the present round of verifying all chains is. */
export const verificationRound = storedItem(
  {
    table,
    kind: "verification",
    key: ["verification", "round"],
    subject: { nobody: "how far the audit trail is verified" },
  },
  storedObject({
    /** ISO 8601. */
    startedAt: z.string(),
    finishedAt: z.string().optional(),
    /** The chain that was verified last, or is being verified. */
    chain: z.string().optional(),
    /** The last verified file, of a chain that is being verified. */
    last: storedObject({ name: z.string(), file: z.number(), hash: z.string() }).optional(),
  }),
);

/** Used in entries of refused attempts instead of the time of a change; it sorts after all times. */
export const refusedMark = "refused";

/** How long after its time a record may still be committed: a request takes seconds, a worker some minutes. */
export const graceMilliseconds = 10 * 60_000;

/** The hour of a time, such as `2026-11-27T05`, in UTC. */
export const hourOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 13);

/** Every partition of an hour. */
export const partsOf = (hour: string): string[] =>
  Array.from({ length: partitions }, (_, number) => `records#${hour}#${number.toString(16)}`);

/** The partition in which an hour's records of a chain are. */
export function partOf(hour: string, chain: string): string {
  const [digit = "0"] = chain.slice(-1);
  return `records#${hour}#${/[\da-f]/.test(digit) ? digit : "0"}`;
}

/**
 * The chain of a record: that of the team; one of sixteen for people without a team; or that of the installation.
 * @param user the actor or the target
 */
export function chainOf({ team, user }: { team?: string | undefined; user?: string | undefined }): string {
  if (team !== undefined) return `team-${team}`;
  return user === undefined ? "installation" : `people-${user.slice(-1)}`;
}

/** Pattern of all names of chains. */
export const chainPattern = /^(installation|people-[\da-f]|team-[\da-f-]{36})$/;
