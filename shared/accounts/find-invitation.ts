import type { AccountDeps } from "#shared/accounts/account-deps.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { type Change, combine } from "#shared/platform/messaging/change.ts";
import { checkAdmission } from "#shared/teams/check-admission.ts";
import type { Invitation } from "#shared/teams/invitation.ts";
import type { InvitationState } from "#shared/teams/invitation-store.ts";
import type { Member } from "#shared/teams/member.ts";
import { permissionsOf } from "#shared/teams/permissions.ts";
import { checkAcceptance } from "#shared/teams/registered-domains/domain-rules.ts";
import type { Team } from "#shared/teams/team.ts";
import type { Account } from "./account.ts";
import { type ContactIdentity, mailDomain } from "./identity.ts";
import { type JoiningDeps, joinTeam } from "./join-team.ts";

type Deps = Pick<AccountDeps, "accounts" | "domains" | "invitations" | "settings" | "teams">;

/** An acceptable invitation, and the data on which its acceptance depends. */
export interface OpenInvitation {
  readonly invitation: Invitation;
  readonly state: InvitationState;
  readonly team: Team;
  /** The account that a directory has created for the invitee, completed by the acceptance. */
  readonly invitee: Account | undefined;
}

/**
 * Find the invitation of an address by its code.
 *
 * @param address absent: any address
 * @throws ApiError `invalid-invitation-code` when the code is unknown, used, expired, or for another address;
 *   `condition-failed`; what `checkAdmission` throws
 */
export async function findInvitation(
  { accounts, domains, invitations, settings, teams }: Deps,
  code: string,
  address?: ContactIdentity,
): Promise<OpenInvitation> {
  const invitation = await invitations.findByCode(code);
  const isForAddress = address === undefined || invitation?.addressKey === address.key;
  if (invitation === undefined || !isForAddress) throw new ApiError("invalid-invitation-code");
  const { teamId, invitationId } = invitation;
  const [account, state, team, registration] = await Promise.all([
    accounts.get(invitationId),
    invitations.readState(invitation),
    teams.get(teamId),
    domains.rulesOf(mailDomain(invitation.email)),
  ]);
  // It has been removed since the first read.
  if (!invitations.isIn(invitation, state)) throw new ApiError("invalid-invitation-code");
  checkAcceptance(registration, teamId);
  checkAdmission(team, settings);
  return {
    invitation,
    state,
    team,
    invitee: account?.status === "pending-invitation" ? account : undefined,
  };
}

/** Decides what to write and announce when an account joins a team by its invitation, which is used up. */
export const joinAsInvited = (
  deps: JoiningDeps & Pick<Deps, "invitations">,
  account: { readonly previous?: Account; readonly next: Account },
  { invitation, state }: Pick<OpenInvitation, "invitation" | "state">,
  actor?: Actor,
): Change =>
  combine(joinTeam(deps, account, invitedMember(invitation, account.next.userId), actor), {
    writes: deps.invitations.use(invitation, state),
  });

const invitedMember = ({ teamId, role, createdBy, createdAt }: Invitation, userId: string): Member => ({
  teamId,
  userId,
  permissions: permissionsOf(role),
  ...(createdBy !== undefined && { invitedBy: createdBy, invitedAt: createdAt }),
  legalHoldStatus: "no_consent",
});
