import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { storedObject } from "#shared/platform/data/stored-item.ts";
import type { Outbox, OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import { type Account, isActivated } from "./account.ts";

/** What the queue `search-index` carries: a user, or the members of a team, whose index entries may be out of date. */
export const indexUpdate = z.union([
  storedObject({ userId: z.uuid() }),
  storedObject({
    teamId: z.uuid(),
    /** Absent in the first message of a pass through the team. */
    progress: storedObject({
      passId: z.uuid(),
      /** Members up to this one, in the order of their ids, are up to date. */
      after: z.uuid(),
    }).optional(),
  }),
]);
type IndexUpdate = z.input<typeof indexUpdate>;
export type TeamIndexUpdate = Extract<IndexUpdate, { readonly teamId: string }>;

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

/** Creates a message that brings a user's index entries up to date, including the role in a team. */
export const userIndexUpdate = (outbox: Outbox, userId: string): OutboxMessage =>
  outbox.message("search-index", { userId } satisfies IndexUpdate);

/**
 * Creates a message that brings the index entries of all members of a team up to date, step by step.
 * @param progress for the next step of a pass
 */
export const teamIndexUpdate = (
  outbox: Outbox,
  teamId: string,
  progress?: TeamIndexUpdate["progress"],
): OutboxMessage => outbox.message("search-index", { teamId, progress } satisfies TeamIndexUpdate);
