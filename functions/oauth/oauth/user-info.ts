import type { Account } from "#shared/accounts/account.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { openIdScopes } from "#shared/registry/oauth-scopes.ts";
import type { Deps } from "./deps.ts";

/**
 * Tell an app about the person who has signed in, as far as its scope allows; a client with the person's own token gets
 * everything.
 *
 * @throws ApiError `not-found` for an account that is deleted or suspended
 * @see operation `get-oauth-userinfo`
 */
export async function userInfo(
  { accounts }: Pick<Deps, "accounts">,
  { userId, scopes = openIdScopes }: Actor,
) {
  const account = await accounts.get(userId);
  if (account?.status !== "active") throw new ApiError("not-found");
  return {
    sub: userId,
    ...(scopes.includes("profile") && profileOf(account)),
    ...(scopes.includes("email") && emailOf(account)),
  };
}

const profileOf = ({ name, handle, locale }: Account) => ({
  name,
  ...(handle !== undefined && { preferred_username: handle }),
  locale,
});

/** Apps link accounts by verified addresses, and an address from a directory might be anybody's. */
const emailOf = ({ email, unprovenEmail }: Account) =>
  email === undefined ? undefined : { email, email_verified: email !== unprovenEmail };
