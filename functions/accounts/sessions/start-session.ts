import type { Claim } from "#shared/accounts/account.ts";
import { openSession, type SessionOptions } from "#shared/accounts/open-session.ts";
import { newConnectionId } from "#shared/sessions/cookies.ts";
import type { AccessToken } from "#shared/sessions/tokens/token-issuer.ts";
import type { Deps } from "./deps.ts";

/** Tokens that a login returns. */
export interface StartedSession {
  readonly accessToken: AccessToken;
  /** `Set-Cookie` value. */
  readonly setCookie: string;
}

/** Give an authenticated user a cookie and an access token. @throws ApiError as `openSession` does */
export async function startSession(
  deps: Deps,
  claim: Pick<Claim, "userId" | "sessionEpoch">,
  options: SessionOptions,
): Promise<StartedSession> {
  const { cookie, setCookie } = await openSession(deps, claim, options);
  const grant = { userId: claim.userId, connectionId: newConnectionId(cookie) };
  return { accessToken: await deps.tokens.accessToken(grant), setCookie };
}
