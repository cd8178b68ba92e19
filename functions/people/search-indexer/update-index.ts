import { type Listing, listingOf, searchableOf } from "#shared/accounts/index-update.ts";
import { toDirectoryEntry } from "#shared/accounts/search/directory-entry.ts";
import { toDocument } from "#shared/accounts/search/search-document.ts";
import type { IndexContent } from "#shared/accounts/search/search-index-store.ts";
import { retryStale } from "#shared/platform/data/conditions.ts";
import { transactTogether } from "#shared/platform/data/transact-together.ts";
import { hasFeature } from "#shared/teams/features/effective-feature.ts";
import { roleOf } from "#shared/teams/permissions.ts";
import type { Deps } from "./deps.ts";

/** Deps of the update of one user's entries. */
export type IndexDeps = Pick<Deps, "dynamo" | "features" | "searchIndex" | "settings" | "teams"> & {
  readonly accounts: Pick<Deps["accounts"], "get">;
};

/**
 * Bring the index entries of a user up to date with the account and the team. The newest state remains in any order of
 * concurrent updates: each reads the record of the entries first and writes only if the record is unchanged, so the
 * account was read after the last update.
 */
export async function updateIndex(deps: IndexDeps, userId: string): Promise<void> {
  const { accounts, dynamo, searchIndex } = deps;
  await retryStale(async () => {
    const record = await searchIndex.recordOf(userId);
    const account = await accounts.get(userId);
    if (account === undefined) return;
    const searchable = searchableOf(account);
    const listing = listingOf(account);
    const content = {
      document: searchable && toDocument(userId, searchable),
      ...(listing && (await membershipOf(deps, userId, listing))),
    };
    await transactTogether(dynamo, searchIndex.replace(record, content));
  });
}

/** Reads how the user's team shows its members. */
async function membershipOf(
  { features, settings, teams }: IndexDeps,
  userId: string,
  listing: Listing,
): Promise<Omit<IndexContent, "document">> {
  const { teamId } = listing;
  const [member, team] = await Promise.all([teams.getMember({ teamId, userId }), features.get(teamId)]);
  return {
    isOpen: hasFeature("searchVisibilityInbound", team, settings),
    member: member && { teamId, entry: toDirectoryEntry(userId, listing, roleOf(member.permissions)) },
  };
}
