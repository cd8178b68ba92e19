import type { Account } from "#shared/accounts/account.ts";
import { checkDomainNotBlocked } from "#shared/accounts/activation/allow-list.ts";
import { type ContactIdentity, emailIdentity } from "#shared/accounts/identity.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Provisioner } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { takeToken } from "#shared/platform/rate-limit/token-bucket.ts";
import { provisionedAccount } from "#shared/provisioning/create-account.ts";
import { checkInvitation } from "#shared/registered-domains/domain-rules.ts";
import { checkAdmission } from "#shared/teams/check-admission.ts";
import type { Invitation } from "#shared/teams/invitation.ts";
import { hashOfCode } from "#shared/teams/invitation-code.ts";
import { invitationMail } from "#shared/teams/invitation-mail.ts";
import { TooManyInvitationsError } from "#shared/teams/team-errors.ts";
import type { Deps } from "../deps.ts";
import { answerTaken, taken } from "./answer-taken.ts";
import { checkUnused } from "./check-unused.ts";
import { addressOf, defaultName } from "./provisioned-names.ts";
import { renderUser } from "./render-user.ts";
import type { UserView } from "./schemas.ts";
import type { ScimUser } from "./scim-user.ts";

/**
 * Create a user of a team without an identity provider, who becomes a member by accepting an invitation: it has the id
 * of the user, and takes the place of any other of the team to the address.
 *
 * @throws ApiError `scim-invalid-value`, `scim-uniqueness`, `email-exists`, `blacklisted-email`,
 *   `domain-blocked-for-registration`, `condition-failed`, `too-many-team-invitations`, those of `checkAdmission`
 * @throws RateLimitedError
 * @see operation `scim-create-user`
 */
export async function inviteUser(deps: Deps, { teamId }: Provisioner, user: ScimUser): Promise<UserView> {
  const { accounts, identities, invitations, outbox, richInfo, settings, teams } = deps;
  const address = addressOf(user, { hasProvider: false, settings });
  if (address === undefined) throw new Error("Without an identity provider, there is an address");
  const identity = emailIdentity(address, settings);
  return change<UserView>(deps, async () => {
    const invited = { teamId, addressKey: identity.key };
    const [record, state, team] = await Promise.all([
      identities.find(identity),
      invitations.readState(invited),
      teams.get(teamId),
      checkUnused(deps, teamId, user),
    ]);
    if (record.claim !== undefined) throw new ApiError("email-exists");
    if (record.isBlocked) throw new ApiError("blacklisted-email");
    checkDomainNotBlocked({ email: identity.value }, settings);
    checkInvitation(record.registration, { teamId, isForExistingUser: false });
    checkAdmission(team, settings);
    await checkNotInvited(deps, invitations.pendingIds(state));
    const { account, invitation } = await inviteeOf(deps, teamId, user, identity);
    const { perAddress } = settings.setTeamInvitationRateLimit;
    const mailTat = takeToken(state.address?.mailTat, perAddress, invitation.createdAt);
    return {
      writes: [
        ...accounts.save(undefined, account),
        richInfo.put(account.userId, user.richInfo),
        ...invitations.add(invitation, state, mailTat, { isOnly: true }),
        teams.requireOpen(teamId),
      ],
      messages: [
        invitationMail(outbox, invitation, {
          inviterEmail: settings.emailSender,
          isForExistingUser: false,
          locale: user.preferredLanguage,
          teamName: team.name,
        }),
      ],
      result: renderUser(deps, { account, member: undefined, richInfo: user.richInfo }),
    };
  })
    .catch(answerTaken)
    .catch(answer(TooManyInvitationsError, "too-many-team-invitations"));
}

/** @throws ApiError `scim-uniqueness` when a directory has invited the address for another user */
async function checkNotInvited({ accounts }: Deps, invitationIds: readonly string[]): Promise<void> {
  const invitees = invitationIds.length === 0 ? [] : await accounts.getMany(invitationIds);
  if (invitees.length > 0) throw taken("email");
}

/** The account of an invitee, and the invitation, which has the same id. */
async function inviteeOf(deps: Deps, teamId: string, user: ScimUser, { key, value }: ContactIdentity) {
  const { clock, invitationCodes, settings } = deps;
  const now = clock();
  const expiresAt = toSeconds(now) + settings.setTeamInvitationTimeout;
  const account: Account = {
    ...provisionedAccount(deps, {
      teamId,
      name: user.displayName ?? defaultName(user.externalId, { hasProvider: false, address: value }),
      handle: user.userName,
      status: "pending-invitation",
      managedByScim: true,
      scim: { externalId: user.externalId, createdAt: now, updatedAt: now },
      ...(user.preferredLanguage !== undefined && { locale: user.preferredLanguage }),
    }),
    emailUnvalidated: value,
    expiresAt: expiresAt * 1000,
  };
  const invitationKey = { teamId, invitationId: account.userId };
  const invitation: Invitation = {
    ...invitationKey,
    role: user.role ?? "member",
    email: value,
    addressKey: key,
    name: user.displayName,
    createdAt: now,
    expiresAt,
    codeHash: hashOfCode(await invitationCodes.derive(invitationKey)),
  };
  return { account, invitation };
}
