import type { Account } from "#shared/accounts/account.ts";
import type { AccountDeps } from "#shared/accounts/account-deps.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { isConnectionOf } from "#shared/sessions/cookies.ts";

type Deps = Pick<AccountDeps, "accounts" | "clock" | "sessions">;

/**
 * The account of a user who lets an app in by an access token. The session must be live, because the token outlives it
 * by minutes, and the app gets access for months. Internal callers have no session.
 *
 * @returns undefined if the user may not let apps in any more
 */
export async function consentingUser(
  { accounts, clock, sessions }: Deps,
  { userId, connectionId }: Pick<Actor, "userId" | "connectionId">,
): Promise<Account | undefined> {
  const [account, { cookies }] = await Promise.all([accounts.get(userId), sessions.get(userId)]);
  const isLive =
    connectionId === undefined ||
    Object.values(cookies).some(
      (cookie) => cookie.expiresAt > clock() && isConnectionOf(cookie, connectionId),
    );
  return isLive ? account : undefined;
}
