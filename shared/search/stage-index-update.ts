import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { type Account, isActivated } from "../data/account/account.ts";
import type { Outbox, StagedMessage } from "../messaging/outbox.ts";

/** What the queue `search-index` carries: a user whose entries may be out of date. */
export const indexUpdate = z.object({ userId: z.uuid() });

/** All of an account that the search index depends on; undefined when the account is not to be found at all. */
export function searchableOf(account: Omit<Account, "revision">) {
  const { name, accentId, handle, teamId, status } = account;
  const isListed = status === "active" && isActivated(account);
  return isListed ? { name, accentId, handle, teamId } : undefined;
}
export type Searchable = NonNullable<ReturnType<typeof searchableOf>>;

/** A message that brings the index up to date, when a change of an account makes that necessary. */
export function stageIndexUpdate(
  outbox: Outbox,
  previous: Account | undefined,
  next: Omit<Account, "revision">,
): StagedMessage[] {
  return isDeepStrictEqual(previous && searchableOf(previous), searchableOf(next))
    ? []
    : [outbox.stage("search-index", { userId: next.userId } satisfies z.input<typeof indexUpdate>)];
}
