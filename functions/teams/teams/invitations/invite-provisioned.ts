import type { Account } from "#shared/accounts/account.ts";
import { IdentityTakenError } from "#shared/accounts/account-errors.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { AlreadyInvitedError, type Invitee, inviteAccount } from "#shared/provisioning/invite-account.ts";
import { TooManyInvitationsError } from "#shared/teams/team-errors.ts";
import type { Deps } from "../deps.ts";

/**
 * Invite somebody whom a directory knows, and create the invitee's account with a given id.
 *
 * @throws ApiError `key-exists` for an id or external id in use, `email-exists`, `too-many-team-invitations`, those of
 *   `inviteAccount`
 * @throws RateLimitedError
 * @see operation `i-invite-provisioned-user`
 */
export function inviteProvisioned(
  deps: Deps,
  invitee: Invitee & { readonly userId: string },
): Promise<Account> {
  return change(deps, async () => {
    const [existing, { account, ...invited }] = await Promise.all([
      deps.accounts.get(invitee.userId),
      inviteAccount(deps, invitee),
    ]);
    if (existing !== undefined) throw new ApiError("key-exists");
    return { ...invited, result: account };
  })
    .catch(answer(IdentityTakenError, "key-exists"))
    .catch(answer(AlreadyInvitedError, "email-exists"))
    .catch(answer(TooManyInvitationsError, "too-many-team-invitations"));
}
