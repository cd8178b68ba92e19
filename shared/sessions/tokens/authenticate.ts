import * as z from "zod";
import { describeAudited } from "#shared/platform/audit/audited.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import {
  bearerToken,
  cookieValues,
  type HttpEvent,
  isInternalRequest,
} from "#shared/platform/http/request.ts";
import type { Actor, BotActor, ProviderActor, Route } from "#shared/platform/http/route.ts";
import type { OAuthScope, OpenIdScope } from "#shared/registry/oauth-scopes.ts";
import { isJwt } from "./jwt.ts";
import type { Token } from "./token.ts";
import type { Verifiers } from "./verifiers.ts";

/** Name of the cookie that holds the token of a provider. */
export const providerCookie = "zprovider";

/** Knows the live sessions of legal hold devices. */
export interface LegalHoldCheck {
  includes(userId: string, connectionId: string): Promise<boolean>;
}

/**
 * Returns the user, provider or bot on whose behalf a request acts, if its route requires one. On the internal API the
 * caller may name the user in `Z-User`; on the public one that header means nothing.
 *
 * @param verifiers empty in a family that authenticates nobody
 * @throws ApiError as `verifyBearer`, and the route's error for internal callers who act for no user
 */
export async function authenticate(
  event: HttpEvent,
  {
    auth,
    scope,
    allowsLegalHold,
    withoutUser,
  }: Pick<Route, "auth" | "scope" | "allowsLegalHold" | "withoutUser">,
  verifiers: Partial<Verifiers> & { readonly legalHoldSessions?: LegalHoldCheck },
): Promise<Actor | ProviderActor | BotActor | undefined> {
  if (auth === "provider" || auth === "bot") return verifyServiceToken(auth, event, verifiers);
  if (auth !== "user") return undefined;
  const isInternal = isInternalRequest(event);
  const named = isInternal ? event.headers["z-user"] : undefined;
  if (named !== undefined) {
    const userId = z.uuid().safeParse(named.toLowerCase());
    if (!userId.success) throw new ApiError("unauthenticated", { message: "Z-User is not a user id" });
    return { userId: userId.data };
  }
  const bearer = bearerToken(event);
  if (bearer === undefined && isInternal && withoutUser !== undefined) throw new ApiError(withoutUser);
  const legalHoldSessions = allowsLegalHold ? verifiers.legalHoldSessions : undefined;
  return verifyBearer(bearer, verifiers, { scope, legalHoldSessions });
}

/**
 * Returns the user of an access token.
 *
 * @param options.scope opens the operation to OAuth tokens; without it, only login tokens are accepted
 * @param options.legalHoldSessions opens the operation to the tokens of legal hold devices, while their session lasts
 * @throws ApiError `unauthenticated` (401); `token-class-forbidden` (403) for a valid token of another class, and for
 *   an OAuth token without the scope
 */
export async function verifyBearer(
  bearer: string | undefined,
  verifiers: Partial<Verifiers>,
  {
    scope,
    legalHoldSessions,
  }: { scope?: OAuthScope | OpenIdScope | undefined; legalHoldSessions?: LegalHoldCheck | undefined } = {},
): Promise<Actor> {
  const token = await verifyAnyToken(bearer, verifiers);
  if (token.type === "oauth") {
    if (scope === undefined) throw wrongClass(token, "No scope lets an app do this");
    if (!token.scopes.includes(scope)) {
      noteBearer(token);
      throw new ApiError("token-class-forbidden", {
        message: `The token lacks the scope ${scope}`,
        headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="${scope}"` },
      });
    }
    return { userId: token.userId, appId: token.appId, scopes: token.scopes };
  }
  if (token.type !== "access" && token.type !== "legalhold-access") throw wrongClass(token);
  const { userId, connectionId, clientId } = token;
  if (token.type === "access") return { userId, connectionId, clientId };
  if (legalHoldSessions === undefined) throw wrongClass(token);
  // Legal hold must end for the service when it ends for the user, not when the token would expire.
  if (connectionId === undefined || !(await legalHoldSessions.includes(userId, connectionId))) {
    throw unauthenticated(invalidToken);
  }
  return { userId, connectionId, clientId };
}

/**
 * Returns the provider or bot of a request. The first token found counts: in the header, the query, or the cookie of
 * providers.
 *
 * @throws ApiError `unauthenticated` (401); `token-class-forbidden` (403) for a valid token of another class
 */
async function verifyServiceToken(
  auth: "provider" | "bot",
  event: HttpEvent,
  verifiers: Partial<Verifiers>,
): Promise<ProviderActor | BotActor> {
  const [cookie] = cookieValues(event, providerCookie);
  const token = await verifyAnyToken(bearerToken(event) ?? cookie, verifiers);
  if (token.type !== auth) throw wrongClass(token);
  return token.type === "bot"
    ? { botId: token.botId, providerId: token.providerId, conversationId: token.conversationId }
    : { providerId: token.providerId };
}

/** Content of a token of any class that the service has signed. @throws ApiError `unauthenticated` */
async function verifyAnyToken(
  bearer: string | undefined,
  { verifier, jwtVerifier }: Partial<Verifiers>,
): Promise<Token | OAuthToken> {
  if (bearer === undefined || verifier === undefined) throw unauthenticated("Bearer");
  if (jwtVerifier !== undefined && isJwt(bearer)) {
    const grant = await jwtVerifier.verifyAccess(bearer);
    if (grant === undefined) throw unauthenticated(invalidToken);
    return { type: "oauth", ...grant };
  }
  const verification = await verifier.verify(bearer);
  if (verification.outcome !== "valid") throw unauthenticated(invalidToken);
  return verification.token;
}

/** Content of an app's access token. */
interface OAuthToken {
  readonly type: "oauth";
  readonly userId: string;
  readonly appId?: string;
  readonly scopes: readonly string[];
}

function wrongClass(token: Token | OAuthToken, message?: string): ApiError {
  noteBearer(token);
  return new ApiError("token-class-forbidden", message === undefined ? {} : { message });
}

/** The audit trail shows whose token was refused. */
function noteBearer(token: Token | OAuthToken): void {
  const { type: kind } = token;
  if ("userId" in token) describeAudited({ actor: { kind, user: token.userId } });
  else if ("providerId" in token) describeAudited({ actor: { kind, provider: token.providerId } });
}

const invalidToken = 'Bearer error="invalid_token"';

/** Creates an error that tells clients which token would be accepted (RFC 6750 §3). */
const unauthenticated = (challenge: string) =>
  new ApiError("unauthenticated", { headers: { "www-authenticate": challenge } });
