import { retryStale, transact } from "#shared/data/conditions.ts";
import { toDocument } from "#shared/data/search/search-document.ts";
import { searchableOf } from "#shared/search/stage-index-update.ts";
import type { Deps } from "./deps.ts";

/**
 * Bring the index entries of a user up to date with the account. Of several updates at once, and in whatever order, the
 * newest state of the account remains: entries are only replaced by those of a higher revision.
 */
export async function updateIndex(
  {
    accounts,
    client,
    searchIndex,
  }: Pick<Deps, "client" | "searchIndex"> & { accounts: Pick<Deps["accounts"], "get"> },
  userId: string,
): Promise<void> {
  await retryStale(async () => {
    const [account, record] = await Promise.all([accounts.get(userId), searchIndex.recordOf(userId)]);
    if (account === undefined || account.revision <= record.revision) return;
    const searchable = searchableOf(account);
    const document = searchable && toDocument(userId, searchable);
    await transact(client, searchIndex.replace(record, account.revision, document));
  });
}
