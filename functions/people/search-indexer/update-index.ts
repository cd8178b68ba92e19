import { searchableOf } from "#shared/accounts/index-update.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { toDocument } from "#shared/search/search-document.ts";
import type { Deps } from "./deps.ts";

/**
 * Bring the index entries of a user up to date with the account. Whatever the order of concurrent updates, the newest
 * state of the account remains: entries are replaced only by those of a higher revision.
 */
export async function updateIndex(
  deps: Pick<Deps, "dynamo" | "searchIndex"> & { accounts: Pick<Deps["accounts"], "get"> },
  userId: string,
): Promise<void> {
  const { accounts, searchIndex } = deps;
  await change(deps, async () => {
    const [account, record] = await Promise.all([accounts.get(userId), searchIndex.recordOf(userId)]);
    if (account === undefined || account.revision <= record.revision) return undefined;
    const searchable = searchableOf(account);
    const document = searchable && toDocument(userId, searchable);
    return { writes: searchIndex.replace(record, account.revision, document) };
  });
}
