import { toSeconds } from "#shared/platform/clock.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { TokenIssuer } from "#shared/sessions/tokens/token-issuer.ts";
import { setCookieHeader } from "./cookies.ts";
import type { Cookie } from "./session.ts";

interface Deps {
  readonly settings: Settings;
  readonly tokens: TokenIssuer;
}

/** Signs the token of a cookie, which the stored record lacks. @returns the `Set-Cookie` value */
export async function signCookie(
  { settings, tokens }: Deps,
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
