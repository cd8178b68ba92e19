import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "../deps.ts";

/**
 * Check that users may be members of a group: all of them are members of the team, and provisioned by its directory.
 *
 * @returns their ids, each once
 * @throws ApiError `scim-invalid-value`
 */
export async function checkGroupMembers(
  { accounts, settings }: Deps,
  teamId: string,
  userIds: readonly string[],
): Promise<string[]> {
  const distinct = [...new Set(userIds)];
  const { maxGroupMembers } = settings.scim;
  if (distinct.length > maxGroupMembers) {
    throw new ApiError("scim-invalid-value", { message: `A group has at most ${maxGroupMembers} members` });
  }
  const found = await accounts.getMany(distinct);
  const isEligible = new Set(
    found
      .filter((account) => account.teamId === teamId && account.managedByScim && account.status !== "deleted")
      .map(({ userId }) => userId),
  );
  const foreign = distinct.find((userId) => !isEligible.has(userId));
  if (foreign !== undefined) {
    throw new ApiError("scim-invalid-value", {
      message: `members: no directory has provisioned ${foreign} for the team`,
    });
  }
  return distinct;
}
