import type { Account } from "#shared/accounts/account.ts";
import { findInvitation, invitedMember, type OpenInvitation } from "#shared/accounts/find-invitation.ts";
import type { ContactIdentity } from "#shared/accounts/identity.ts";
import { joinTeam } from "#shared/accounts/join-team.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { type Change, combine } from "#shared/platform/messaging/change.ts";
import { welcomeMail } from "#shared/teams/welcome-mail.ts";
import type { Deps } from "./deps.ts";

/**
 * Find the invitation that a registration names.
 *
 * @throws ApiError `missing-identity` when it names no address; what `findInvitation` throws
 */
export async function invitationFor(
  deps: Deps,
  code: string,
  wanted: readonly ContactIdentity[],
): Promise<OpenInvitation> {
  const address = wanted.find(({ kind }) => kind === "email");
  if (address === undefined) throw new ApiError("missing-identity");
  return findInvitation(deps, code, address);
}

/**
 * Decides what to write and announce when a new account joins the team that invited it, or completes the one that the
 * team's directory has created.
 */
export function joinByInvitation(
  deps: Deps,
  account: Account,
  { invitation, state, team, invitee }: OpenInvitation,
): Change {
  const { invitations, outbox } = deps;
  const member = invitedMember(invitation, account.userId);
  return combine(joinTeam(deps, { ...(invitee && { previous: invitee }), next: account }, member), {
    writes: invitations.use(invitation, state),
    messages: welcomeMail(outbox, account, team),
  });
}

/** The fields of a new account that are set by the directory that invited the user. */
export const asInvited = (account: Account, { invitee }: Pick<OpenInvitation, "invitee">): Account =>
  invitee === undefined
    ? account
    : {
        ...account,
        name: invitee.name,
        locale: invitee.locale,
        handle: invitee.handle,
        managedByScim: invitee.managedByScim,
        scim: invitee.scim,
        createdAt: invitee.createdAt,
      };
