import type { Account } from "#shared/accounts/account.ts";
import { readLegalHoldStatuses } from "#shared/accounts/legal-hold-status.ts";
import {
  dependsOnPermissions,
  toUserProfile,
  type UserProfile,
  type Viewer,
} from "#shared/accounts/profiles/user-profile.ts";
import type { Deps } from "./deps.ts";

/**
 * Find the profiles of users as the viewer sees them, in the order of the ids. Leaves out unknown users and those who
 * have not accepted their invitation yet. Anonymous accounts that have expired are reported for deletion.
 */
export async function findProfiles(
  deps: Deps,
  viewerId: string,
  userIds: readonly string[],
): Promise<UserProfile[]> {
  if (userIds.length === 0) return [];
  return profilesOf(deps, viewerId, userIds, await deps.accounts.getMany([viewerId, ...userIds]));
}

/** Find profiles as `findProfiles` does, and the users that cannot be read. */
export async function findReadableProfiles(
  deps: Deps,
  viewerId: string,
  userIds: readonly string[],
): Promise<{ profiles: UserProfile[]; unreadable: string[] }> {
  if (userIds.length === 0) return { profiles: [], unreadable: [] };
  const { accounts, unreadable } = await deps.accounts.getReadable([viewerId, ...userIds]);
  return {
    profiles: await profilesOf(deps, viewerId, userIds, accounts),
    unreadable: unreadable.filter((userId) => userIds.includes(userId)),
  };
}

async function profilesOf(
  deps: Deps,
  viewerId: string,
  userIds: readonly string[],
  read: readonly Account[],
): Promise<UserProfile[]> {
  const { clock, expiredAccounts, settings } = deps;
  const byId = new Map(read.map((account) => [account.userId, account]));
  const found = [...new Set(userIds)]
    .map((userId) => byId.get(userId))
    .filter((account) => account !== undefined)
    .filter(({ status }) => status !== "pending-invitation");
  const [viewer, statuses] = await Promise.all([
    viewerOf(deps, byId.get(viewerId), found),
    readLegalHoldStatuses(deps, found),
    expiredAccounts.report(found),
  ]);
  const now = clock();
  return found.map((account) =>
    toUserProfile(account, viewer, { legalHoldStatus: statuses.get(account.userId), settings, now }),
  );
}

/** Reads the viewer's permissions, if they matter for one of the users. */
async function viewerOf(
  { settings, teams }: Deps,
  account: Account | undefined,
  found: readonly Account[],
): Promise<Viewer> {
  const { teamId, userId } = account ?? {};
  if (teamId === undefined || userId === undefined) return {};
  const hasMates = found.some((one) => one.teamId === teamId);
  if (!hasMates || !dependsOnPermissions(settings)) return { teamId };
  return { teamId, permissions: (await teams.getMember({ teamId, userId }))?.permissions };
}
