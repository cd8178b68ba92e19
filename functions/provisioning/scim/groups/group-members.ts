import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Group } from "#shared/provisioning/group.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Deps } from "../deps.ts";

/**
 * Check that users may be in a group: all of them are members of the team and provisioned by its directory.
 *
 * @param unknown the error for an id that no user has
 * @returns their ids, each once
 * @throws ApiError `scim-invalid-value`, `unknown`
 */
export async function checkGroupMembers(
  { accounts, settings }: Deps,
  teamId: string,
  userIds: readonly string[],
  unknown: "scim-invalid-value" | "scim-not-found",
): Promise<string[]> {
  const distinct = [...new Set(userIds)];
  checkGroupSize(distinct.length, settings);
  const present = (await accounts.getMany(distinct)).filter(({ status }) => status !== "deleted");
  const byId = new Map(present.map((account) => [account.userId, account]));
  for (const userId of distinct) {
    const account = byId.get(userId);
    if (account === undefined) throw new ApiError(unknown, { message: `members: unknown user ${userId}` });
    if (account.teamId !== teamId || !account.managedByScim) {
      throw new ApiError("scim-invalid-value", {
        message: `members: ${userId} is not provisioned for the team`,
      });
    }
  }
  return distinct;
}

/** @throws ApiError `scim-invalid-value` when a group would have too many members */
export function checkGroupSize(members: number, { scim: { maxGroupMembers } }: Settings): void {
  if (members > maxGroupMembers)
    throw new ApiError("scim-invalid-value", { message: `A group has at most ${maxGroupMembers} members` });
}

/**
 * Creates groups without the members who have since left the team: they are dropped when a group is read, so that
 * leaving a team need not wait for its groups.
 */
export async function withPresentMembers(
  { teams }: Deps,
  teamId: string,
  groups: readonly Group[],
): Promise<Group[]> {
  const members = await teams.getMembers(
    teamId,
    groups.flatMap(({ memberIds }) => memberIds),
  );
  const present = new Set(members.map(({ userId }) => userId));
  return groups.map((group) => ({ ...group, memberIds: group.memberIds.filter((id) => present.has(id)) }));
}
