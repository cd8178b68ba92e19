import { randomBytes } from "node:crypto";
import type { Account } from "#shared/accounts/account.ts";
import type { AccountDeps } from "#shared/accounts/account-deps.ts";
import { describeAudited } from "#shared/platform/audit/audited.ts";
import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { parseScope } from "#shared/registry/oauth-scopes.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { isConnectionOf } from "#shared/sessions/cookies.ts";
import type { App } from "./app.ts";
import type { AuthorizationCodeStore } from "./authorization-code-store.ts";

/** Creates a code for a user's consent: 64 hex characters. */
export async function createAuthorizationCode(
  { clock, codes, settings }: { clock: Clock; codes: AuthorizationCodeStore; settings: Settings },
  {
    user: { userId, sessionEpoch },
    app,
    request,
    login: { nonce, authTime } = {},
  }: {
    user: Pick<Account, "userId" | "sessionEpoch">;
    app: App;
    request: { scope: string; redirect_uri: string; code_challenge: string };
    /** Nonce that the app expects in the id token, and time of the login. */
    login?: { nonce?: string | undefined; authTime?: number | undefined };
  },
): Promise<string> {
  const code = randomBytes(32).toString("hex");
  const { scope, openId } = parseScope(request.scope, settings);
  describeAudited({ target: { client: app.clientId, uid: userId } });
  await codes.create(code, {
    userId,
    epoch: sessionEpoch,
    clientId: app.clientId,
    scope,
    ...(openId.length > 0 && {
      openId: { scope: openId, ...(authTime !== undefined && { authTime }) },
      ...(nonce !== undefined && { nonce }),
    }),
    redirectUri: request.redirect_uri,
    codeChallenge: request.code_challenge,
    expiresAt: toSeconds(clock()) + settings.setOAuthAuthCodeExpirationTimeSecs,
  });
  return code;
}

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
