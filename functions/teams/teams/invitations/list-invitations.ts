import type { Claim } from "#shared/accounts/account.ts";
import { storedEmailIdentity } from "#shared/accounts/identity.ts";
import { checkMember, insufficientPermissions } from "#shared/teams/check-member.ts";
import type { Invitation } from "#shared/teams/invitation.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";
import { type LinkedInvitation, linkOf, showsLinks } from "./invitation-link.ts";

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
