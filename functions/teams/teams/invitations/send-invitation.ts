import { randomUUID } from "node:crypto";
import type { Account } from "#shared/accounts/account.ts";
import type { IdentityState } from "#shared/accounts/account-store.ts";
import { checkDomainNotBlocked } from "#shared/accounts/activation/identity-rules.ts";
import { type ContactIdentity, emailIdentity, mailDomain } from "#shared/accounts/identity.ts";
import { allDone } from "#shared/platform/all-done.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { networkBucket } from "#shared/platform/rate-limit/network.ts";
import { takeToken } from "#shared/platform/rate-limit/token-bucket.ts";
import { checkMember, insufficientPermissions } from "#shared/teams/check-member.ts";
import type { Invitation } from "#shared/teams/invitation.ts";
import { hashOfCode } from "#shared/teams/invitation-code.ts";
import { invitationMail } from "#shared/teams/invitation-mail.ts";
import type { Member } from "#shared/teams/member.ts";
import { isWithin, permissionsOf, type Role } from "#shared/teams/permissions.ts";
import { checkInvitation } from "#shared/teams/registered-domains/domain-rules.ts";
import { isOpen, isPresent, type Team } from "#shared/teams/team.ts";
import { TooManyInvitationsError } from "#shared/teams/team-errors.ts";
import type { Deps } from "../deps.ts";
import { type LinkedInvitation, linkOf, showsLinks } from "./invitation-link.ts";

export interface InvitationCommand {
  readonly teamId: string;
  readonly inviterId: string;
  readonly email: string;
  readonly role: Role;
  readonly name?: string;
  readonly locale?: string;
  /** Whether the address may belong to an existing account without a team. */
  readonly allowsExisting: boolean;
}

/**
 * Invite an address to a team, and send it a mail with the code.
 *
 * @throws ApiError `insufficient-permissions`, `no-team`, `no-email`, `invalid-email`, `blacklisted-email`,
 *   `domain-blocked-for-registration`, `email-exists`, `condition-failed`, `too-many-team-invitations`, in this order
 * @throws RateLimitedError
 * @see operation `send-team-invitation`
 */
export async function sendInvitation(
  deps: Deps,
  command: InvitationCommand,
  sourceIp: string,
): Promise<LinkedInvitation> {
  const { rateLimiter, settings } = deps;
  const { perInviter, perNetwork } = settings.setTeamInvitationRateLimit;
  const address = parseAddress(deps, command.email);
  // One round trip, whether the invitation is accepted or refused.
  const [, found] = await allDone([
    rateLimiter.takeAll([
      [`invitations#${command.inviterId}`, perInviter],
      [networkBucket("invitations", sourceIp), perNetwork],
    ]),
    readFacts(deps, command, address),
  ]);
  return change(deps, async (attempt) => {
    const facts = attempt === 1 ? found : await readFacts(deps, command, address);
    return decide(deps, command, facts);
  }).catch(answer(TooManyInvitationsError, "too-many-team-invitations"));
}

/** Undefined for a malformed address, which is reported only to those who may invite. */
function parseAddress({ settings }: Deps, email: string): ContactIdentity | undefined {
  try {
    return emailIdentity(email, settings);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** The data on which the decision depends, read in one round trip. */
async function readFacts(
  { accounts, domains, features, invitations, teams }: Deps,
  { teamId, inviterId }: InvitationCommand,
  address: ContactIdentity | undefined,
) {
  const [team, ofTeam, inviter, member, invitee] = await Promise.all([
    teams.get(teamId),
    features.get(teamId),
    accounts.get(inviterId),
    teams.getMember({ teamId, userId: inviterId }),
    address && readInvitee({ accounts, domains, invitations }, teamId, address),
  ]);
  return { team, features: ofTeam, inviter, member, invitee };
}

async function readInvitee(
  { accounts, domains, invitations }: Pick<Deps, "accounts" | "domains" | "invitations">,
  teamId: string,
  address: ContactIdentity,
) {
  const [found, state, registration] = await Promise.all([
    accounts.findState(address),
    invitations.readState({ teamId, addressKey: address.key }),
    domains.rulesOf(mailDomain(address.value)),
  ]);
  return { address, ...found, state, registration };
}

async function decide(
  deps: Deps,
  command: InvitationCommand,
  { team, features, inviter, member: found, invitee }: Awaited<ReturnType<typeof readFacts>>,
) {
  const { budget, clock, invitationCodes, invitations, outbox, settings, teams } = deps;
  const { teamId, inviterId, role, name, locale, allowsExisting } = command;
  const member = checkInviter(found, role);
  checkTeam(team, inviter);
  const inviterEmail = inviter?.email;
  if (inviterEmail === undefined) throw new ApiError("no-email");
  if (invitee === undefined) throw new ApiError("invalid-email");
  const { address, registration, state } = invitee;
  if (invitee.isBlocked) throw new ApiError("blacklisted-email");
  checkDomainNotBlocked({ email: address.value }, settings);
  const isForExistingUser = checkAddress(invitee, allowsExisting);
  checkInvitation(registration, { teamId, isForExistingUser });
  await checkNotProvisioned(deps, invitations.pendingIds(state));

  const now = clock();
  const key = { teamId, invitationId: randomUUID() };
  const invitation: Invitation = {
    ...key,
    role,
    email: address.value,
    addressKey: address.key,
    name,
    createdBy: inviterId,
    createdAt: now,
    expiresAt: toSeconds(now) + settings.setTeamInvitationTimeout,
    codeHash: hashOfCode(await invitationCodes.derive(key)),
  };
  const { perAddress } = settings.setTeamInvitationRateLimit;
  return {
    writes: [
      ...invitations.add(invitation, state, takeToken(state.address?.mailTat, perAddress, now)),
      teams.requireOpen(teamId),
      teams.requirePermissions(member),
      ...budget.spendWrites(`invitations#${teamId}`, 1, settings.setTeamInvitationDailyBudget),
    ],
    messages: [
      invitationMail(outbox, invitation, { inviterEmail, isForExistingUser, locale, teamName: team.name }),
    ],
    result: {
      invitation,
      url: showsLinks(features, deps) ? await linkOf(deps, invitation, isForExistingUser) : undefined,
    },
  };
}

function checkInviter(found: Member | undefined, role: Role): Member {
  const member = checkMember(found, { permission: "AddTeamMember" }, insufficientPermissions);
  if (!isWithin(permissionsOf(role).self, member.permissions.copy))
    throw new ApiError("insufficient-permissions");
  return member;
}

/**
 * Checks that none of the invitations to the address belongs to a user created by the team's directory.
 * @throws ApiError `email-exists`
 */
async function checkNotProvisioned({ accounts }: Deps, invitationIds: readonly string[]): Promise<void> {
  const invitees = invitationIds.length === 0 ? [] : await accounts.getMany(invitationIds);
  if (invitees.length > 0) throw new ApiError("email-exists");
}

/** Access tokens outlive the suspension of a team or an account by some minutes. */
function checkTeam(team: Team | undefined, inviter: Account | undefined): asserts team is Team {
  if (team === undefined || !isPresent(team)) throw new ApiError("no-team");
  if (!isOpen(team) || inviter?.status !== "active") throw new ApiError("insufficient-permissions");
}

/** @returns whether the address belongs to an account */
function checkAddress({ claim }: Pick<IdentityState, "claim">, allowsExisting: boolean): boolean {
  if (claim === undefined) return false;
  if (!allowsExisting || claim.status !== "active" || claim.teamId !== undefined)
    throw new ApiError("email-exists");
  return true;
}
