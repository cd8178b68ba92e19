import { ApiError } from "#shared/platform/http/api-error.ts";
import { checkMember, insufficientPermissions } from "#shared/teams/check-member.ts";
import type { TeamFeatures } from "#shared/teams/features/feature.ts";
import type { Invitation } from "#shared/teams/invitation.ts";
import type { InvitationKey } from "#shared/teams/invitation-store.ts";
import type { Deps } from "../deps.ts";
import { type LinkedInvitation, linkOf, showsLinks } from "./invitation-link.ts";

/**
 * Get a pending invitation. Its link is always the one for people without an account.
 *
 * @throws ApiError `insufficient-permissions`, `not-found`
 * @see operation `get-team-invitation`
 */
export async function getInvitation(
  deps: Deps,
  viewerId: string,
  key: InvitationKey,
): Promise<LinkedInvitation> {
  const { invitation, features } = await readInvitation(deps, viewerId, key);
  if (invitation === undefined) throw new ApiError("not-found");
  return showsLinks(features, deps)
    ? { invitation, url: await linkOf(deps, invitation, false) }
    : { invitation };
}

/** Read an invitation for a member who may invite. @throws ApiError `insufficient-permissions` */
export async function readInvitation(
  { features, invitations, teams }: Deps,
  viewerId: string,
  key: InvitationKey,
): Promise<{ invitation: Invitation | undefined; features: TeamFeatures }> {
  const { teamId } = key;
  const [viewer, invitation, ofTeam] = await Promise.all([
    teams.getMember({ teamId, userId: viewerId }),
    invitations.get(key),
    features.get(teamId),
  ]);
  checkMember(viewer, { permission: "AddTeamMember" }, insufficientPermissions);
  return { invitation, features: ofTeam };
}
