import { listingOf, searchableOf } from "#shared/accounts/index-update.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { toDirectoryEntry } from "#shared/search/directory-entry.ts";
import { toDocument } from "#shared/search/search-document.ts";
import { roleOf } from "#shared/teams/permissions.ts";
import type { Deps } from "./deps.ts";

export type IndexDeps = Pick<Deps, "dynamo" | "searchIndex"> & {
  accounts: Pick<Deps["accounts"], "get">;
  teams: Pick<Deps["teams"], "getMember">;
};

/**
 * Bring the index entries of a user up to date with the account and the team. Whatever the order of concurrent updates,
 * the newest state remains: each reads the record of the entries first and writes only if that is still the same, so
 * what it has read is at least as new as what the entries show.
 */
export async function updateIndex(deps: IndexDeps, userId: string): Promise<void> {
  const { accounts, searchIndex, teams } = deps;
  await change(deps, async () => {
    const record = await searchIndex.recordOf(userId);
    const account = await accounts.get(userId);
    if (account === undefined) return undefined;
    const searchable = searchableOf(account);
    const listing = listingOf(account);
    const membership = listing && (await teams.getMember({ teamId: listing.teamId, userId }));
    return {
      writes: searchIndex.replace(record, {
        document: searchable && toDocument(userId, searchable),
        member: membership && {
          teamId: membership.teamId,
          entry: toDirectoryEntry(userId, listing, roleOf(membership.permissions)),
        },
      }),
    };
  });
}
