import { codesToUser } from "#shared/auth/codes-to-user.ts";
import { type Account, isActivated } from "#shared/data/account/account.ts";
import { ApiError } from "#shared/errors.ts";
import { userIdentityRemove } from "#shared/events/user-identity-remove.ts";
import type { Actor } from "#shared/http/route.ts";
import { changeAccount } from "./change-account.ts";
import type { Deps } from "./deps.ts";

/**
 * Take the verified e-mail address or phone number off an account that keeps the other one and a password. The codes
 * that the account was sent before end, because they may lie where the owner does not want to be found any more.
 *
 * @throws ApiError `no-identity`, `last-identity`, `no-password`
 * @see operations `remove-email`, `remove-phone`
 */
export async function removeIdentity(deps: Deps, actor: Actor, kind: "email" | "phone"): Promise<void> {
  const { codes, events, verificationCodes } = deps;
  const { userId } = actor;
  const ended = await codesToUser(verificationCodes, userId);
  await changeAccount(deps, userId, (account) => {
    checkKeepsIdentity(account);
    const to = { sender: userId, recipients: [{ userId }], origin: actor };
    return {
      next: { ...account, [kind]: undefined },
      writes: ended.map(({ purpose, key }) => codes.discard(purpose, key)),
      messages: events.stage(userIdentityRemove, { user: { id: userId, [kind]: account[kind] } }, to),
    };
  });
}

function checkKeepsIdentity(account: Account): void {
  const { email, phone, passwordHash } = account;
  if (!isActivated(account)) throw new ApiError("no-identity");
  if (email === undefined || phone === undefined) throw new ApiError("last-identity");
  if (passwordHash === undefined) throw new ApiError("no-password");
}
