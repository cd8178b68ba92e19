import type { App } from "#shared/oauth/app.ts";
import { confirmPassword, listAuthorizedApps, removeSession } from "#shared/oauth/authorized-apps.ts";
import { locales } from "#shared/platform/html/choose-locale.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { apiVersions } from "#shared/platform/http/versions.ts";
import { toUtcSecond } from "#shared/platform/http/wire-types.ts";
import { oauthScopes } from "#shared/registry/oauth-scopes.ts";
import { currentKeys, verificationKeySet } from "#shared/sessions/tokens/signing-keys.ts";
import { asApp } from "./authenticate-app.ts";
import type { Deps } from "./deps.ts";
import { issueTokens } from "./issue-tokens.ts";
import { createApp, getApp, listApps, removeApp, rotateSecret, updateApp } from "./manage-apps.ts";
import { requestCode } from "./request-code.ts";
import { revokeQuietly, revokeToken } from "./revoke-token.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { config, grants, secrets, settings } = deps;

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

    "get-oauth-metadata": () => {
      const { publicUrl } = config;
      const versioned = `${publicUrl}/v${apiVersions(settings).supported.at(-1)}`;
      return {
        headers: { "cache-control": "public, max-age=300" },
        body: {
          issuer: publicUrl,
          authorization_endpoint: `${publicUrl}/authorize`,
          token_endpoint: `${versioned}/oauth/token`,
          revocation_endpoint: `${versioned}/oauth/revoke`,
          jwks_uri: `${publicUrl}/oauth/jwks`,
          scopes_supported: [...oauthScopes],
          response_types_supported: ["code"],
          response_modes_supported: ["query"],
          grant_types_supported: ["authorization_code", "refresh_token"],
          token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
          revocation_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
          code_challenge_methods_supported: ["S256"],
          authorization_response_iss_parameter_supported: true,
          ui_locales_supported: [...locales],
        },
      };
    },

    "get-oauth-jwks": async () => {
      const keys = await secrets.get("verification-keys", readKeys);
      return {
        headers: { "cache-control": "public, max-age=300" },
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
