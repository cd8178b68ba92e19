import { toUserProfile, type UserProfile } from "#shared/accounts/profiles/user-profile.ts";
import type { Deps } from "./deps.ts";

/**
 * Find the profiles of users as the viewer sees them, in the order of the ids. Unknown users and those who have not
 * accepted their invitation yet are left out. Anonymous accounts that have expired are reported for deletion.
 */
export async function findProfiles(
  { accounts, clock, expiredAccounts, settings }: Deps,
  viewerId: string,
  userIds: readonly string[],
): Promise<UserProfile[]> {
  if (userIds.length === 0) return [];
  const read = await accounts.getMany([viewerId, ...userIds]);
  const byId = new Map(read.map((account) => [account.userId, account]));
  const found = [...new Set(userIds)]
    .map((userId) => byId.get(userId))
    .filter((account) => account !== undefined)
    .filter(({ status }) => status !== "pending-invitation");
  await expiredAccounts.report(found);
  const viewer = byId.get(viewerId) ?? {};
  const now = clock();
  return found.map((account) => toUserProfile(account, viewer, settings, now));
}
