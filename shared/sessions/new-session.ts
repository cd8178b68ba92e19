import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { TokenIssuer } from "#shared/sessions/tokens/token-issuer.ts";
import { newCookie, setCookieHeader } from "./cookies.ts";
import type { Cookie } from "./session.ts";

interface Deps {
  readonly clock: Clock;
  readonly settings: Settings;
  readonly tokens: TokenIssuer;
}

interface Wanted {
  readonly type: Cookie["type"];
  readonly label?: string | undefined;
  /** Device to which the session is tied from its beginning. */
  readonly clientId?: string | undefined;
  /** End of the account, in Unix milliseconds. */
  readonly expiresAtMost?: number | undefined;
  readonly isLegalHold?: true;
}

/** A session that begins when its cookie is stored. */
export interface NewSession {
  /** The stored record, which cannot be used as a cookie. */
  readonly cookie: Cookie;
  /** `Set-Cookie` value for the client. */
  readonly setCookie: string;
}

/**
 * Prepare a session for a user. The caller stores the cookie by a method of `SessionStore`, in the transaction that
 * permits the session; for logins, use `openSession`.
 */
export async function newSession(
  deps: Deps,
  userId: string,
  { isLegalHold, ...wanted }: Wanted,
): Promise<NewSession> {
  const cookie = newCookie(wanted, deps.settings, deps.clock());
  return { cookie, setCookie: await signCookie(deps, userId, cookie, isLegalHold) };
}

/** Signs the token of a cookie, which the stored record lacks. @returns the `Set-Cookie` value */
export async function signCookie(
  { settings, tokens }: Pick<Deps, "settings" | "tokens">,
  userId: string,
  cookie: Cookie,
  isLegalHold?: true,
): Promise<string> {
  const token = await tokens.cookieToken({
    userId,
    isLegalHold,
    cookieId: cookie.id,
    isSession: cookie.type === "session",
    expiresAtSeconds: toSeconds(cookie.expiresAt),
    clientId: cookie.clientId,
  });
  return setCookieHeader(token, cookie, settings);
}
