import { createHash, randomUUID } from "node:crypto";
import { AccountInactiveError } from "#shared/accounts/account-errors.ts";
import { type App, isRegistered } from "#shared/oauth/app.ts";
import { type AuthorizationCode, CodeReusedError } from "#shared/oauth/authorization-code-store.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { isSameSecret } from "#shared/platform/secrets/is-same-secret.ts";
import { checkSecret } from "./client-secret.ts";
import type { Deps } from "./deps.ts";
import { newGrant, signTokens } from "./grant-tokens.ts";
import type { Tokens } from "./schemas.ts";
import { type AuthenticatedRequest, badRequest, required } from "./token-request.ts";

/**
 * Issue tokens for an authorization code (RFC 6749 §4.1.3, RFC 7636 §4.5), which is used up even if it is refused. A used
 * code revokes its grant, if whoever presents it could have redeemed it (§4.1.2): one of the two is a thief.
 *
 * @throws ApiError `bad-request`, `unknown-app`, `wrong-app-secret`, `unknown-code`, `unusable-grant`,
 *   `redirect-url-mismatch`, `invalid-grant`, `jwt-error`
 */
export async function redeemCode(deps: Deps, request: AuthenticatedRequest): Promise<Tokens> {
  const { accounts, apps, clock, codes, grants, settings } = deps;
  const redirectUri = required(request, "redirect_uri");
  const verifier = required(request, "code_verifier");
  if (!/^[\w.~-]{43,128}$/.test(verifier)) throw badRequest("code_verifier: 43 to 128 unreserved characters");
  const presented = required(request, "code");
  const [code, app] = await Promise.all([codes.take(presented), apps.get(request.client_id)]);
  const now = clock();
  if (app === undefined) throw new ApiError("unknown-app");
  checkSecret(app, request.client_secret, now);
  if (code === undefined || code.expiresAt <= toSeconds(now)) throw new ApiError("unknown-code");
  const refusal = whyRefused(code, app, { redirectUri, verifier });
  if (code.isUsed) {
    if (refusal === undefined) await revokeOnReuse(deps, presented, code);
    throw new ApiError("unknown-code");
  }
  if (refusal !== undefined) throw new ApiError(refusal);

  const { userId, clientId, scope, grantId = randomUUID() } = code;
  const grant = newGrant({ grantId, clientId, scope }, deps);
  const options = {
    limit: settings.setOAuthMaxActiveRefreshTokens,
    conditions: [accounts.requireActive(userId, code.epoch), codes.requireNotReused(presented)],
  };
  await grants
    .add(userId, grant, options)
    .catch(answer(AccountInactiveError, "unusable-grant"))
    .catch(answer(CodeReusedError, "unknown-code"));
  return signTokens(deps, userId, grant);
}

function whyRefused(
  code: AuthorizationCode,
  app: App,
  { redirectUri, verifier }: { redirectUri: string; verifier: string },
) {
  if (code.clientId !== app.clientId) return "unusable-grant";
  if (redirectUri !== code.redirectUri || !isRegistered(app, redirectUri)) return "redirect-url-mismatch";
  if (!isVerifierOf(code.codeChallenge, verifier)) return "invalid-grant";
  return undefined;
}

async function revokeOnReuse(
  { codes, grants, log }: Deps,
  presented: string,
  { userId, clientId, grantId }: AuthorizationCode,
) {
  await codes.markReused(presented);
  await grants.remove(userId, (grant) => grant.grantId === grantId);
  log.warn("authorization-code-reused", { clientId, grantId });
}

function isVerifierOf(challenge: string, verifier: string): boolean {
  const expected = createHash("sha256").update(verifier).digest();
  return isSameSecret(Buffer.from(challenge, "base64url"), expected);
}
