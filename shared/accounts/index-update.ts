import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { Outbox, OutboxMessage } from "#shared/platform/messaging/outbox.ts";
import { type Account, isActivated } from "./account.ts";

/** What the queue `search-index` carries: a user whose index entries may be out of date. */
export const indexUpdate = z.object({ userId: z.uuid() });

/** Everything in an account that the search index depends on; undefined when search must not find the account. */
export function searchableOf(account: Omit<Account, "revision">) {
  const { name, accentId, handle, teamId, status } = account;
  const isListed = status === "active" && isActivated(account);
  return isListed ? { name, accentId, handle, teamId } : undefined;
}
export type Searchable = NonNullable<ReturnType<typeof searchableOf>>;

/** Creates a message that brings the index up to date, if a change of an account makes that necessary. */
export function indexUpdateMessages(
  outbox: Outbox,
  previous: Account | undefined,
  next: Omit<Account, "revision">,
): OutboxMessage[] {
  return isDeepStrictEqual(previous && searchableOf(previous), searchableOf(next))
    ? []
    : [indexUpdateMessage(outbox, next.userId)];
}

/** Creates a message that brings the index up to date. */
export const indexUpdateMessage = (outbox: Outbox, userId: string): OutboxMessage =>
  outbox.message("search-index", { userId } satisfies z.input<typeof indexUpdate>);
