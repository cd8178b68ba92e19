import type { Claim } from "#shared/accounts/account.ts";
import { emailIdentity, storedEmailIdentity } from "#shared/accounts/identity.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { checkMember, insufficientPermissions } from "#shared/teams/check-member.ts";
import type { TeamFeatures } from "#shared/teams/features/feature.ts";
import type { Invitation } from "#shared/teams/invitation.ts";
import type { InvitationKey } from "#shared/teams/invitation-store.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";
import { type LinkedInvitation, linkOf, showsLinks } from "./invitation-link.ts";

/**
 * Find the newest invitation of an address, provided that only one team has invited it.
 *
 * @throws ApiError `invalid-email`, `not-found`, `conflicting-invitations`
 * @see operations `head-team-invitations`, `i-get-invitation-by-email`
 */
export async function findByEmail({ invitations, settings }: Deps, email: string): Promise<InvitationKey> {
  let found: InvitationKey | undefined;
  for await (const invitation of invitations.ofAddress(emailIdentity(email, settings).key)) {
    if (found !== undefined) throw new ApiError("conflicting-invitations");
    found = invitation;
  }
  if (found === undefined) throw new ApiError("not-found");
  return found;
}

/**
 * Derive the code of a pending invitation.
 *
 * @throws ApiError `invalid-invitation-code`
 * @see operation `i-get-invitation-code`
 */
export async function findInvitationCode(
  { invitationCodes, invitations }: Deps,
  key: { teamId: string; invitationId: string },
): Promise<string> {
  const invitation = await invitations.get(key);
  if (invitation === undefined) throw new ApiError("invalid-invitation-code");
  return invitationCodes.derive(invitation);
}

/**
 * Find the pending invitation of an address.
 *
 * @throws ApiError `not-found`, and as `findByEmail` does
 * @see operation `i-get-invitation-by-email`
 */
export async function findPendingInvitation(deps: Deps, email: string): Promise<Invitation> {
  const invitation = await deps.invitations.get(await findByEmail(deps, email));
  if (invitation === undefined) throw new ApiError("not-found");
  return invitation;
}

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

/**
 * List pending invitations of a team in the order of their ids.
 *
 * @param page.after id of the invitation after which to start
 * @throws ApiError `insufficient-permissions`
 * @see operation `get-team-invitations`
 */
export async function listInvitations(
  deps: Deps,
  viewer: Membership,
  { after, limit }: { after?: string; limit: number },
): Promise<{ invitations: LinkedInvitation[]; hasMore: boolean }> {
  const { features, invitations, teams } = deps;
  const { teamId } = viewer;
  const [member, ofTeam] = await Promise.all([teams.getMember(viewer), features.get(teamId)]);
  checkMember(member, { permission: "AddTeamMember" }, insufficientPermissions);
  // Not read for strangers, who could use up the team's throughput.
  const found = await invitations.page(teamId, { after, limit: limit + 1 });
  const page = found.slice(0, limit);
  return {
    invitations: showsLinks(ofTeam, deps)
      ? await withLinks(deps, page)
      : page.map((invitation) => ({ invitation })),
    hasMore: found.length > limit,
  };
}

async function withLinks(deps: Deps, invitations: readonly Invitation[]): Promise<LinkedInvitation[]> {
  const { accounts, settings } = deps;
  const claims = await accounts.findClaims(
    invitations.map(({ email }) => storedEmailIdentity(email, settings)),
  );
  return Promise.all(
    invitations.map(async (invitation, index) => ({
      invitation,
      url: await linkOf(deps, invitation, isPersonal(claims[index])),
    })),
  );
}

const isPersonal = (claim: Claim | undefined) => claim?.status === "active" && claim.teamId === undefined;
