import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { type Change, change, combine } from "#shared/platform/messaging/change.ts";
import { announceJoin } from "#shared/teams/announce.ts";
import { checkAdmission } from "#shared/teams/check-member.ts";
import type { Invitation } from "#shared/teams/invitation.ts";
import type { InvitationState } from "#shared/teams/invitation-store.ts";
import type { Member } from "#shared/teams/member.ts";
import { permissionsOf } from "#shared/teams/permissions.ts";
import { checkAcceptance } from "#shared/teams/registered-domains/domain-rules.ts";
import type { Team } from "#shared/teams/team.ts";
import {
  TeamFullError,
  TeamFullForLegalHoldError,
  TeamNotFoundError,
  TooManyAdminsError,
} from "#shared/teams/team-errors.ts";
import type { Account } from "./account.ts";
import type { AccountDeps } from "./account-deps.ts";
import { userUpdate } from "./events.ts";
import { type ContactIdentity, mailDomain, storedEmailIdentity } from "./identity.ts";
import { indexUpdateMessages } from "./index-update.ts";

/** Dependencies of joining a team. */
type JoiningDeps = Pick<AccountDeps, "accounts" | "clock" | "events" | "outbox" | "teams">;

/**
 * Decides what to write and announce when an account joins a team, an existing one or a new one. Rejected as
 * `TeamFullError`, `TeamFullForLegalHoldError`, `TooManyAdminsError` or `TeamNotFoundError`.
 *
 * @param account.previous absent: the account is created
 */
export function joinTeam(
  { accounts, outbox, teams, ...deps }: JoiningDeps,
  { previous, next }: { readonly previous?: Account; readonly next: Account },
  member: Member,
  actor: Actor = { userId: next.userId },
): Change {
  const { teamId, userId } = member;
  const joined: Account = { ...next, teamId };
  const audience = {
    group: userId,
    recipients: [{ userId }],
    contactsOf: userId,
    membersOf: { teamId, members: "all" as const },
    origin: actor,
  };
  const user = { id: userId, team: teamId, sso_id_deleted: false };
  return {
    writes: [...accounts.save(previous, joined), ...teams.addMember(member)],
    messages: [
      ...deps.events.to(audience, userUpdate, { user }),
      ...announceJoin(deps, member, actor),
      ...indexUpdateMessages(outbox, previous, joined),
    ],
  };
}

/** Turns errors of joining a team into those of the interface, which does not distinguish most kinds of full teams. */
export function answerJoining(error: unknown): never {
  const isFull = error instanceof TeamFullError || error instanceof TooManyAdminsError;
  if (isFull) throw new ApiError("too-many-team-members", { cause: error });
  if (error instanceof TeamFullForLegalHoldError)
    throw new ApiError("too-many-members-for-legalhold", { cause: error });
  return answer(TeamNotFoundError, "no-team")(error);
}

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

type AcceptanceDeps = Pick<
  AccountDeps,
  "accounts" | "clock" | "domains" | "dynamo" | "events" | "invitations" | "outbox" | "settings" | "teams"
>;

/**
 * Let an existing account join the team that invited its address. The password has been checked.
 *
 * @returns the id of the team
 * @throws ApiError `missing-identity`, `invalid-invitation-code`, `condition-failed`, `no-team`, `too-many-team-members`,
 *   `too-many-members-for-legalhold`, `cannot-join-multiple-teams`, in this order
 */
export async function acceptInvitation(
  deps: AcceptanceDeps,
  account: Account,
  code: string,
  actor: Actor = { userId: account.userId },
): Promise<string> {
  const { accounts, settings } = deps;
  return change(deps, async (attempt) => {
    const current = attempt === 1 ? account : await accounts.get(account.userId);
    if (current?.email === undefined || current.status !== "active") throw new ApiError("missing-identity");
    const { invitation, state, invitee } = await findInvitation(
      deps,
      code,
      storedEmailIdentity(current.email, settings),
    );
    // The removed account would be left without an owner.
    if (invitee !== undefined) throw new ApiError("invalid-invitation-code");
    if (current.teamId !== undefined) throw new ApiError("cannot-join-multiple-teams");
    const joining = joinAsInvited(deps, { previous: current, next: current }, { invitation, state }, actor);
    return { ...joining, result: invitation.teamId };
  }).catch(answerJoining);
}
