import { createHash, randomUUID } from "node:crypto";
import { isSameSecret } from "#shared/auth/is-same-secret.ts";
import { toSeconds } from "#shared/clock.ts";
import { ApiError } from "#shared/errors.ts";
import { checkSecret } from "./client-secret.ts";
import type { Deps } from "./deps.ts";
import { newGrant, signTokens } from "./grant-tokens.ts";
import type { TokenRequest, Tokens } from "./schemas.ts";
import { badRequest, required } from "./token-request.ts";

/**
 * Tokens for an authorization code (RFC 6749 §4.1.3, RFC 7636 §4.5), which is used up whatever comes of it.
 *
 * @throws ApiError `bad-request`, `not-found`, `forbidden`, `redirect-url-mismatch`, `invalid-grant`, `jwt-error`
 */
export async function redeemCode(deps: Deps, request: TokenRequest): Promise<Tokens> {
  const { accounts, clients, clock, codes, grants, settings } = deps;
  const redirectUri = required(request, "redirect_uri");
  const verifier = required(request, "code_verifier");
  if (!/^[\w.~-]{43,128}$/.test(verifier)) throw badRequest("code_verifier: 43 to 128 unreserved characters");
  const [code, client] = await Promise.all([
    codes.take(required(request, "code")),
    clients.get(request.client_id),
  ]);
  const now = clock();
  if (code === undefined || code.expiresAt <= toSeconds(now) || client === undefined)
    throw new ApiError("not-found");
  if (code.clientId !== client.clientId) throw new ApiError("forbidden");
  checkSecret(client, request.client_secret, now);
  if (redirectUri !== code.redirectUri || redirectUri !== client.redirectUrl)
    throw new ApiError("redirect-url-mismatch");
  if (!isVerifierOf(code.codeChallenge, verifier)) throw new ApiError("invalid-grant");

  const { userId, clientId, scope } = code;
  const grant = newGrant({ grantId: randomUUID(), clientId, scope }, deps);
  await grants.add(userId, grant, {
    limit: settings.setOAuthMaxActiveRefreshTokens,
    condition: accounts.requireActive(userId),
  });
  return signTokens(deps, userId, grant);
}

function isVerifierOf(challenge: string, verifier: string): boolean {
  const expected = createHash("sha256").update(verifier).digest();
  return isSameSecret(Buffer.from(challenge, "base64url"), expected);
}
