import { batchRead } from "#shared/platform/data/batch-read.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { checkMember, insufficientPermissions } from "#shared/teams/check-member.ts";
import type { TeamFeatures } from "#shared/teams/features/feature.ts";
import type { Invitation } from "#shared/teams/invitation.ts";
import type { InvitationKey } from "#shared/teams/invitation-store.ts";
import type { Deps } from "../deps.ts";
import { type LinkedInvitation, linkOf, showsLinks } from "./invitation-link.ts";

/**
 * Get a pending invitation. Its link is the one for people without an account, whoever the invitee is.
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
  { dynamo, features, invitations, teams }: Deps,
  viewerId: string,
  key: InvitationKey,
): Promise<{ invitation: Invitation | undefined; features: TeamFeatures }> {
  const { teamId } = key;
  const keys = [
    ...teams.memberKeys(teamId, [viewerId]),
    ...invitations.keys(key),
    ...features.featureKeys(teamId),
  ];
  const items = await batchRead(dynamo, [{ tableName: teams.tableName, keys }]);
  const viewer = teams.memberOf({ teamId, userId: viewerId }, items);
  checkMember(viewer, { permission: "AddTeamMember" }, insufficientPermissions);
  return {
    invitation: invitations.invitationOf(key, items),
    features: features.featuresOf(teamId, items),
  };
}
