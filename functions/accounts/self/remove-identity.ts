import { type Account, isActivated } from "#shared/accounts/account.ts";
import { userIdentityRemove } from "#shared/accounts/events.ts";
import { codesToUser } from "#shared/accounts/second-factor/codes-to-user.ts";
import { checkSecondFactor } from "#shared/accounts/second-factor/second-factor.ts";
import { changeAccount } from "#shared/accounts/self/change-account.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { Deps } from "./deps.ts";

/**
 * Remove the verified email address or phone number from an account that keeps the other one and a password, or the
 * address of a single sign-on user whom no directory manages. Requires the second factor, which removing the address
 * would otherwise disable. Codes sent to the user become invalid, because they may be at an address that the user no
 * longer controls.
 *
 * @throws ApiError `no-identity`, `managed-by-scim`, `last-identity`, `no-password`, and those of `checkSecondFactor`
 * @see operations `remove-email`, `remove-phone`
 */
export async function removeIdentity(
  deps: Deps,
  actor: Actor,
  { kind, secondFactor }: { kind: "email" | "phone"; secondFactor?: string },
): Promise<void> {
  const { codes, events, verificationCodes } = deps;
  const { userId } = actor;
  const sentCodes = await codesToUser(verificationCodes, userId);
  let isProven = false;
  await changeAccount(deps, userId, async (account) => {
    checkRemovable(account, kind);
    if (!isProven) await checkSecondFactor(deps, account, { action: "login", candidate: secondFactor });
    isProven = true;
    return {
      next: { ...account, [kind]: undefined },
      writes: sentCodes.map(({ purpose, key }) => codes.discard(purpose, key)),
      messages: events.toSelf(actor, userIdentityRemove, { user: { id: userId, [kind]: account[kind] } }),
    };
  });
}

function checkRemovable(account: Account, kind: "email" | "phone"): void {
  const { email, phone, passwordHash, managedByScim, samlIdentity } = account;
  if (!isActivated(account)) throw new ApiError("no-identity");
  if (kind === "email" && managedByScim) throw new ApiError("managed-by-scim");
  if (kind === "email" && email !== undefined && samlIdentity !== undefined) return;
  if (email === undefined || phone === undefined) throw new ApiError("last-identity");
  if (passwordHash === undefined) throw new ApiError("no-password");
}
