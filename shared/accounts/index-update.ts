import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { storedObject } from "#shared/platform/data/stored-item.ts";
import type { Outbox, OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import { committedAtOf } from "#shared/platform/messaging/outbox-item.ts";
import type { PendingMessage } from "#shared/platform/messaging/pending-messages.ts";
import { type Account, isActivated } from "./account.ts";

/**
 * When the change behind a continuing message was committed, in Unix milliseconds; absent: together with the message.
 */
const orderedAt = z.int().optional();

/**
 * Message of the queue `search-index`: a user, the members of a team, or all users, whose index entries may be out of
 * date; or the question whether all earlier messages have been handled.
 */
export const indexUpdate = z.union([
  storedObject({ userId: z.uuid(), orderedAt }),
  storedObject({
    teamId: z.uuid(),
    orderedAt,
    /** Absent in the first message of a pass through the team. */
    progress: storedObject({
      passId: z.uuid(),
      /** Members up to this one, in the order of their ids, are up to date. */
      after: z.uuid(),
    }).optional(),
  }),
  storedObject({
    scope: z.literal("everybody"),
    orderedAt,
    /** Absent in the first message of a pass through all users. */
    progress: storedObject({
      passId: z.uuid(),
      /** Users down to this one, the newest first, are up to date. */
      after: storedObject({ id: z.string(), createdAt: z.string() }),
    }).optional(),
  }),
  storedObject({
    refreshId: z.uuid(),
    /** Unix milliseconds: messages ordered before this time count. */
    before: z.int(),
    /** How often to look. */
    looks: z.int(),
  }),
]);
type IndexUpdate = z.input<typeof indexUpdate>;
export type TeamIndexUpdate = Extract<IndexUpdate, { readonly teamId: string }>;
export type FullIndexUpdate = Extract<IndexUpdate, { readonly scope: "everybody" }>;
export type IndexRefresh = Extract<IndexUpdate, { readonly refreshId: string }>;

/** The parts of an account that search depends on; undefined when search must not find it. */
export function searchableOf(account: Omit<Account, "revision">) {
  const { name, accentId, handle, teamId, status } = account;
  const isListed = status === "active" && isActivated(account);
  return isListed ? { name, accentId, handle, teamId } : undefined;
}
export type Searchable = NonNullable<ReturnType<typeof searchableOf>>;

/** The parts of a member's account that the team's directory shows; undefined for an account without a team. */
export function listingOf({
  name,
  accentId,
  handle,
  teamId,
  email,
  emailUnvalidated,
  managedByScim,
  samlIdentity,
  scim,
  createdAt,
}: Omit<Account, "revision">) {
  return teamId === undefined
    ? undefined
    : {
        name,
        accentId,
        handle,
        teamId,
        email,
        emailUnvalidated,
        managedByScim,
        samlIdentity,
        externalId: scim?.externalId,
        createdAt,
      };
}
export type Listing = NonNullable<ReturnType<typeof listingOf>>;

/** Creates a message that brings the index up to date, if a change of an account makes that necessary. */
export function indexUpdateMessages(
  outbox: Outbox,
  previous: Account | undefined,
  next: Omit<Account, "revision">,
): OutboxMessage[] {
  const before = previous && [searchableOf(previous), listingOf(previous)];
  return isDeepStrictEqual(before ?? [undefined, undefined], [searchableOf(next), listingOf(next)])
    ? []
    : [userIndexUpdate(outbox, next.userId)];
}

/**
 * Creates a message that brings a user's index entries up to date, including the role in a team.
 * @param orderedAt for a message that continues an earlier one
 */
export const userIndexUpdate = (outbox: Outbox, userId: string, orderedAt?: number): OutboxMessage =>
  outbox.message("search-index", { userId, orderedAt } satisfies IndexUpdate);

/**
 * Creates a message that brings the index entries of all members of a team up to date, step by step.
 * @param next for the next step of a pass
 */
export const teamIndexUpdate = (
  outbox: Outbox,
  teamId: string,
  next?: Pick<TeamIndexUpdate, "progress" | "orderedAt">,
): OutboxMessage => outbox.message("search-index", { teamId, ...next } satisfies TeamIndexUpdate);

/**
 * Creates a message that brings the index entries of all users up to date, step by step.
 * @param next for the next step of a pass
 */
export const fullIndexUpdate = (
  outbox: Outbox,
  next?: Pick<FullIndexUpdate, "progress" | "orderedAt">,
): OutboxMessage => outbox.message("search-index", { scope: "everybody", ...next } satisfies FullIndexUpdate);

/** Creates a message that makes the worker note when all earlier messages have been handled. */
export const indexRefresh = (outbox: Outbox, refresh: IndexRefresh): OutboxMessage =>
  outbox.message("search-index", refresh satisfies IndexRefresh);

/** When the change behind a message of the queue was committed, in Unix milliseconds; undefined for a question. */
export function orderTimeOf({ messageId, payload }: PendingMessage): number | undefined {
  const { success, data: update } = indexUpdate.safeParse(payload);
  if (!success) return committedAtOf({ messageId });
  return "refreshId" in update ? undefined : (update.orderedAt ?? committedAtOf({ messageId }));
}
