import type { Account } from "#shared/accounts/account.ts";
import { checkDomainNotBlocked } from "#shared/accounts/activation/identity-rules.ts";
import type { ContactIdentity } from "#shared/accounts/identity.ts";
import type { RichInfo } from "#shared/accounts/profiles/rich-info.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Change } from "#shared/platform/messaging/change.ts";
import { takeToken } from "#shared/platform/rate-limit/token-bucket.ts";
import type { ProvisioningDeps } from "#shared/provisioning/provisioning-deps.ts";
import { checkAdmission } from "#shared/teams/check-member.ts";
import type { Invitation } from "#shared/teams/invitation.ts";
import { hashOfCode } from "#shared/teams/invitation-code.ts";
import { invitationMail } from "#shared/teams/invitation-mail.ts";
import type { Role } from "#shared/teams/permissions.ts";
import { checkInvitation } from "#shared/teams/registered-domains/domain-rules.ts";
import { type NewPerson, provisionedAccount } from "./create-account.ts";

/** A directory has invited the address for another user of the team. */
export class AlreadyInvitedError extends Error {
  override readonly name = "AlreadyInvitedError";
}

type Deps = Pick<
  ProvisioningDeps,
  | "accounts"
  | "clock"
  | "identities"
  | "invitationCodes"
  | "invitations"
  | "outbox"
  | "richInfo"
  | "settings"
  | "teams"
>;

/** A user whom a directory invites to a team. */
export interface Invitee {
  /** Absent: a new one. */
  readonly userId?: string;
  readonly person: Pick<NewPerson, "teamId" | "name" | "handle" | "locale"> & {
    readonly externalId: string;
    /** Absent: the handle. */
    readonly userName?: string;
  };
  readonly address: ContactIdentity;
  /** Name shown in the invitation, if the directory has given one. */
  readonly invitedAs: string | undefined;
  readonly role: Role;
  readonly richInfo?: RichInfo;
}

/**
 * Decides what to write for an account whose user must first accept an invitation to a team. The invitation has the id
 * of the user, and replaces any other of the team to the address.
 *
 * Rejected as `IdentityTakenError` for a handle or external id in use, and as `TooManyInvitationsError`.
 *
 * @throws ApiError `email-exists`, `blacklisted-email`, `domain-blocked-for-registration`, `condition-failed`, those of
 *   `checkAdmission`
 * @throws AlreadyInvitedError
 * @throws RateLimitedError
 */
export async function inviteAccount(
  deps: Deps,
  invitee: Invitee,
): Promise<Change & { readonly account: Account }> {
  const { accounts, identities, invitations, outbox, richInfo, settings, teams } = deps;
  const { address, person } = invitee;
  const { teamId } = person;
  const [record, state, team] = await Promise.all([
    identities.find(address),
    invitations.readState({ teamId, addressKey: address.key }),
    teams.get(teamId),
  ]);
  if (record.claim !== undefined) throw new ApiError("email-exists");
  if (record.isBlocked) throw new ApiError("blacklisted-email");
  checkDomainNotBlocked({ email: address.value }, settings);
  checkInvitation(record.registration, { teamId, isForExistingUser: false });
  checkAdmission(team, settings);
  await checkNotInvited(deps, invitations.pendingIds(state));
  const { account, invitation } = await inviteeOf(deps, invitee);
  const { perAddress } = settings.setTeamInvitationRateLimit;
  const mailTat = takeToken(state.address?.mailTat, perAddress, invitation.createdAt);
  return {
    account,
    writes: [
      ...accounts.save(undefined, account),
      ...(invitee.richInfo === undefined ? [] : [richInfo.put(account.userId, invitee.richInfo)]),
      ...invitations.add(invitation, state, mailTat, { isOnly: true }),
      teams.requireOpen(teamId),
    ],
    messages: [
      invitationMail(outbox, invitation, {
        inviterEmail: settings.emailSender,
        isForExistingUser: false,
        locale: person.locale,
        teamName: team.name,
      }),
    ],
  };
}

async function checkNotInvited({ accounts }: Deps, invitationIds: readonly string[]): Promise<void> {
  const invitees = invitationIds.length === 0 ? [] : await accounts.getMany(invitationIds);
  if (invitees.length > 0) throw new AlreadyInvitedError("The address is invited for another user");
}

/** Create the account of an invitee and the invitation, which has the same id. */
async function inviteeOf(deps: Deps, { userId, person, address, invitedAs, role }: Invitee) {
  const { clock, invitationCodes, settings } = deps;
  const now = clock();
  const expiresAt = toSeconds(now) + settings.setTeamInvitationTimeout;
  const { externalId, userName, ...profile } = person;
  const provisioned = provisionedAccount(deps, {
    ...profile,
    status: "pending-invitation",
    managedByScim: true,
    scim: { externalId, userName, createdAt: now, updatedAt: now },
  });
  const account: Account = {
    ...provisioned,
    userId: userId ?? provisioned.userId,
    emailUnvalidated: address.value,
    expiresAt: expiresAt * 1000,
  };
  const invitationKey = { teamId: person.teamId, invitationId: account.userId };
  const invitation: Invitation = {
    ...invitationKey,
    role,
    email: address.value,
    addressKey: address.key,
    name: invitedAs,
    createdAt: now,
    expiresAt,
    codeHash: hashOfCode(await invitationCodes.derive(invitationKey)),
  };
  return { account, invitation };
}
