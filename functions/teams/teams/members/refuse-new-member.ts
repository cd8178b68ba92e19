import { ApiError } from "#shared/platform/http/api-error.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import { isWithin } from "#shared/teams/permissions.ts";
import type { Deps } from "../deps.ts";
import type { PermissionChange } from "./change-permissions.ts";

/**
 * Refuse to add a user directly, as old clients request: members join by invitation.
 *
 * @throws ApiError `not-a-team-member`, `operation-denied`, `invalid-permissions`, otherwise `binding-team`
 * @see operation `add-team-member-v0`
 */
export async function refuseNewMember(
  { teams }: Deps,
  actorId: string,
  { teamId, permissions }: PermissionChange,
): Promise<never> {
  const acting = checkMember(await teams.getMember({ teamId, userId: actorId }), {
    permission: "AddTeamMember",
  });
  if (!isWithin(permissions.self, acting.permissions.copy)) throw new ApiError("invalid-permissions");
  throw new ApiError("binding-team");
}
