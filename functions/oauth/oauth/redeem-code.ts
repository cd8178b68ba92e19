import { createHash, randomUUID } from "node:crypto";
import { AccountInactiveError } from "#shared/accounts/account-errors.ts";
import { isRegistered } from "#shared/oauth/app.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { isSameSecret } from "#shared/platform/secrets/is-same-secret.ts";
import { checkSecret } from "./client-secret.ts";
import type { Deps } from "./deps.ts";
import { newGrant, type SignedTokens, signTokens } from "./grant-tokens.ts";
import { type AuthenticatedRequest, badRequest, required } from "./token-request.ts";

/**
 * Issue tokens for an authorization code (RFC 6749 §4.1.3, RFC 7636 §4.5), which another app or a wrong verifier uses
 * up, too. A wrong secret or redirect URL does not, because libraries try several ways to send them.
 *
 * @throws ApiError `bad-request`, `unknown-app`, `wrong-app-secret`, `unknown-code`, `unusable-grant`,
 * `redirect-url-mismatch`, `invalid-grant`, `jwt-error`
 */
export async function redeemCode(deps: Deps, request: AuthenticatedRequest): Promise<SignedTokens> {
  const { accounts, apps, clock, codes, grants, settings } = deps;
  const redirectUri = required(request, "redirect_uri");
  const verifier = required(request, "code_verifier");
  if (!/^[\w.~-]{43,128}$/.test(verifier)) throw badRequest("code_verifier: 43 to 128 unreserved characters");
  const codeText = required(request, "code");
  const [found, app] = await Promise.all([codes.get(codeText), apps.get(request.client_id)]);
  const now = clock();
  if (app === undefined) throw new ApiError("unknown-app");
  checkSecret(app, request.client_secret, now);
  if (found === undefined || found.expiresAt <= toSeconds(now)) throw new ApiError("unknown-code");
  const isOwn = found.clientId === app.clientId;
  if (isOwn && (redirectUri !== found.redirectUri || !isRegistered(app, redirectUri)))
    throw new ApiError("redirect-url-mismatch");
  const code = await codes.take(codeText);
  if (code === undefined) throw new ApiError("unknown-code");
  if (!isOwn) throw new ApiError("unusable-grant");
  if (!isVerifierOf(code.codeChallenge, verifier)) throw new ApiError("invalid-grant");

  const { userId, clientId, scope, openId, nonce } = code;
  const grant = newGrant({ grantId: randomUUID(), clientId, scope, openId }, deps);
  const options = {
    limit: settings.setOAuthMaxActiveRefreshTokens,
    condition: accounts.requireActive(userId, code.epoch),
  };
  await grants.add(userId, grant, options).catch(answer(AccountInactiveError, "unusable-grant"));
  return signTokens(deps, userId, grant, nonce);
}

function isVerifierOf(challenge: string, verifier: string): boolean {
  const expected = createHash("sha256").update(verifier).digest();
  return isSameSecret(Buffer.from(challenge, "base64url"), expected);
}
