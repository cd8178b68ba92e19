import { handleIdentity } from "#shared/accounts/identity.ts";
import type { Deps } from "./deps.ts";

/**
 * Find the ids of the users who have the handles, as far as the viewer may find them: with `searchSameTeamOnly`,
 * members of other teams are left out.
 */
export async function findHandleOwners(
  { accounts, settings: { searchSameTeamOnly } }: Deps,
  viewerId: string,
  handles: readonly string[],
): Promise<string[]> {
  if (handles.length === 0) return [];
  const [claims, viewer] = await Promise.all([
    accounts.findClaims(handles.map(handleIdentity)),
    searchSameTeamOnly ? accounts.get(viewerId) : undefined,
  ]);
  return claims
    .filter((claim) => claim !== undefined)
    .filter(({ status }) => status !== "pending-invitation")
    .filter(({ teamId }) => !searchSameTeamOnly || teamId === undefined || teamId === viewer?.teamId)
    .map(({ userId }) => userId);
}
