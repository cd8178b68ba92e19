import { randomBytes } from "node:crypto";
import { type Clock, toSeconds } from "../clock.ts";
import type { AuthorizationCodeStore } from "../data/oauth/authorization-code-store.ts";
import type { OAuthClient } from "../data/oauth/oauth-client.ts";
import type { Settings } from "../settings.ts";
import { parseScope } from "./scopes.ts";

/** A code for what a user has consented to: 64 hex characters. */
export async function createAuthorizationCode(
  { clock, codes, settings }: { clock: Clock; codes: AuthorizationCodeStore; settings: Settings },
  {
    userId,
    client,
    request,
  }: { userId: string; client: OAuthClient; request: { scope: string; code_challenge: string } },
): Promise<string> {
  const code = randomBytes(32).toString("hex");
  await codes.create(code, {
    userId,
    clientId: client.clientId,
    scope: parseScope(request.scope),
    redirectUri: client.redirectUrl,
    codeChallenge: request.code_challenge,
    expiresAt: toSeconds(clock()) + settings.setOAuthAuthCodeExpirationTimeSecs,
  });
  return code;
}
