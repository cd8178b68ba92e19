import type { Account } from "#shared/accounts/account.ts";
import type { App } from "#shared/oauth/app.ts";
import { confirmPassword, listAuthorizedApps, removeSession } from "#shared/oauth/authorized-apps.ts";
import { idTokenJwks } from "#shared/oauth/id-token-keys.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import { toUtcSecond } from "#shared/platform/http/wire-types.ts";
import { openIdScopes } from "#shared/registry/oauth-scopes.ts";
import { currentKeys, verificationKeySet } from "#shared/sessions/tokens/signing-keys.ts";
import { asApp } from "./client-secret.ts";
import type { Deps } from "./deps.ts";
import { redeemCode, rotateRefreshToken, type SignedTokens } from "./grant-tokens.ts";
import { introspectToken } from "./introspect-token.ts";
import { createApp, getApp, listApps, removeApp, rotateSecret, updateApp } from "./manage-apps.ts";
import { openIdConfiguration, serverMetadata } from "./metadata.ts";
import { requestCode } from "./request-code.ts";
import { revokeQuietly, revokeToken } from "./revoke-token.ts";
import type { routes } from "./routes.ts";
import type { Tokens } from "./schemas.ts";
import type { AuthenticatedRequest } from "./token-request.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { grants, secrets, settings } = deps;

  return {
    "create-oauth-auth-code": async ({ actor, body }) => {
      const { status, location } = await requestCode(deps, actor, body);
      return status === 201
        ? { status, headers: { location } }
        : { status, ...(location !== undefined && { headers: { location } }) };
    },

    "create-oauth-access-token": async ({ basic, body, version }) => {
      const tokens = await asApp(body, basic, (request) => issueTokens(deps, request, version));
      // For caches of HTTP 1.0 (RFC 6749 §5.1).
      return { headers: { pragma: "no-cache" }, body: tokens };
    },

    "revoke-oauth-refresh-token": async ({ basic, body, version }) => {
      await asApp(body, basic, (request) =>
        "refresh_token" in request
          ? revokeToken(deps, request, version)
          : revokeQuietly(deps, request, version),
      );
      return {};
    },

    "get-oauth-client": async ({ params }) => {
      return { body: toView(await getApp(deps, params.client)) };
    },

    "get-oauth-applications": async ({ actor }) => ({ body: await listAuthorizedApps(deps, actor.userId) }),

    "revoke-oauth-account-access-v0": async ({ actor, params }) => {
      await grants.remove(actor.userId, ({ clientId }) => clientId === params.client);
      return {};
    },

    "revoke-oauth-account-access": async ({ actor, params, body }) => {
      await confirmPassword(deps, actor.userId, body.password);
      await grants.remove(actor.userId, ({ clientId }) => clientId === params.client);
      return {};
    },

    "delete-oauth-refresh-token": async ({ actor, params, body }) => {
      await confirmPassword(deps, actor.userId, body.password);
      await removeSession(deps, actor.userId, { clientId: params.client, refreshTokenId: params.token });
      return { body: [] };
    },

    "get-oauth-metadata": () => ({ headers: cached, body: serverMetadata(deps) }),

    "get-openid-configuration": () => ({ headers: cached, body: openIdConfiguration(deps) }),

    "get-oauth-userinfo": async ({ actor }) => ({ body: await userInfo(deps, actor) }),

    "post-oauth-userinfo": async ({ actor }) => ({ body: await userInfo(deps, actor) }),

    "introspect-oauth-token": async ({ basic, body }) => ({
      body: await asApp(body, basic, (request) => introspectToken(deps, request)),
    }),

    "get-oauth-jwks": async () => {
      if (settings.setOAuthOpenIdEnabled) return { headers: cached, body: { keys: await idTokenJwks(deps) } };
      const keys = await secrets.get("verification-keys", readKeys);
      return {
        headers: cached,
        body: {
          keys: keys.map(({ index, jwk }) => ({
            ...jwk,
            kid: String(index),
            alg: "EdDSA" as const,
            use: "sig" as const,
          })),
        },
      };
    },

    "i-revoke-oauth-account-access": async ({ params }) => {
      // The account tells the audit trail the user's team.
      await deps.accounts.get(params.uid);
      await grants.remove(params.uid, ({ clientId }) => clientId === params.client);
      return {};
    },

    "i-create-oauth-client": async ({ body }) => {
      return { body: toCredentials(await createApp(deps, body)) };
    },

    "i-list-oauth-clients": async ({ query }) => {
      const { apps, next } = await listApps(deps, { limit: query.size, after: query.start?.after });
      const clients = apps.map((app) => ({ ...toView(app), created_at: toUtcSecond(app.createdAt) }));
      return { body: { clients, next } };
    },

    "i-get-oauth-client": async ({ params }) => {
      return { body: toView(await getApp(deps, params.client)) };
    },

    "i-update-oauth-client": async ({ params, body }) => {
      return { body: toView(await updateApp(deps, params.client, body)) };
    },

    "i-delete-oauth-client": async ({ params }) => {
      await removeApp(deps, params.client);
      return {};
    },

    "i-rotate-oauth-client-secret": async ({ params }) => {
      return { body: toCredentials(await rotateSecret(deps, params.client)) };
    },
  };
}

/** Caching of answers that change only with the version or with keys. */
const cached = { "cache-control": "public, max-age=300" };

const readKeys = (text: string) => currentKeys(verificationKeySet.parse(JSON.parse(text)));

const toView = ({ clientId, applicationName, redirectUrl, furtherRedirectUrls }: App) => ({
  client_id: clientId,
  application_name: applicationName,
  redirect_url: redirectUrl,
  ...(furtherRedirectUrls && { further_redirect_urls: [...furtherRedirectUrls] }),
});

const toCredentials = ({ appId, secret }: { appId: string; secret: string }) => ({
  clientId: appId,
  clientSecret: secret,
  client_id: appId,
  client_secret: secret,
});

/**
 * Issue tokens for an authorization code or a refresh token.
 *
 * @throws ApiError `unsupported-grant-type`, and those of `redeemCode` and `rotateRefreshToken`
 * @see operation `create-oauth-access-token`
 */
async function issueTokens(deps: Deps, request: AuthenticatedRequest, version: number): Promise<Tokens> {
  const { scope, ...tokens } = await issue(deps, request, version);
  // Unknown words next to `openid` were ignored, and the app may have named none here.
  const isSaid = tokens.id_token === undefined && isAsAsked(scope, request.scope);
  return isSaid ? tokens : { ...tokens, scope: scope.join(" ") };
}

function issue(deps: Deps, request: AuthenticatedRequest, version: number): Promise<SignedTokens> {
  switch (request.grant_type) {
    case "authorization_code":
      return redeemCode(deps, request);
    case "refresh_token":
      return rotateRefreshToken(deps, request, version);
    default:
      throw new ApiError("unsupported-grant-type");
  }
}

/**
 * Whether the scope equals the one that the app asked the user for and, if it names one now, that one. A request for an
 * unknown scope was granted none.
 */
function isAsAsked(granted: readonly string[], asked: string | undefined): boolean {
  if (granted.length === 0) return false;
  const words = new Set(asked?.split(/\s+/).filter((word) => word !== "") ?? granted);
  return words.size === granted.length && granted.every((word) => words.has(word));
}

/**
 * Tell an app about the person who has signed in, as far as its scope allows; a client with the person's own token gets
 * everything.
 *
 * @throws ApiError `not-found` for an account that is deleted or suspended
 * @see operation `get-oauth-userinfo`
 */
async function userInfo({ accounts }: Pick<Deps, "accounts">, { userId, scopes = openIdScopes }: Actor) {
  const account = await accounts.get(userId);
  if (account?.status !== "active") throw new ApiError("not-found");
  return {
    sub: userId,
    ...(scopes.includes("profile") && profileOf(account)),
    ...(scopes.includes("email") && emailOf(account)),
  };
}

const profileOf = ({ name, handle, locale }: Account) => ({
  name,
  ...(handle !== undefined && { preferred_username: handle }),
  locale,
});

/** Apps link accounts by verified addresses, and an address from a directory might be anybody's. */
const emailOf = ({ email, unprovenEmail }: Account) =>
  email === undefined ? undefined : { email, email_verified: email !== unprovenEmail };
