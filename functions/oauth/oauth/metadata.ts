import { locales } from "#shared/platform/html/choose-locale.ts";
import { apiVersions } from "#shared/platform/http/versions.ts";
import { oauthScopes, openIdScopes } from "#shared/registry/oauth-scopes.ts";
import type { Deps } from "./deps.ts";

const versionedUrl = ({ config, settings }: Pick<Deps, "config" | "settings">) =>
  `${config.publicUrl}/v${apiVersions(settings).supported.at(-1)}`;

/** Metadata for OAuth libraries (RFC 8414). */
export function serverMetadata(deps: Pick<Deps, "config" | "settings">) {
  const { publicUrl } = deps.config;
  const versioned = versionedUrl(deps);
  return {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}/authorize`,
    token_endpoint: `${versioned}/oauth/token`,
    revocation_endpoint: `${versioned}/oauth/revoke`,
    jwks_uri: `${publicUrl}/oauth/jwks`,
    scopes_supported: [...oauthScopes] as string[],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
    revocation_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    ui_locales_supported: [...locales],
  };
}

/** Metadata for OpenID Connect libraries. */
export function openIdConfiguration(deps: Pick<Deps, "config" | "settings">) {
  const versioned = versionedUrl(deps);
  return {
    ...serverMetadata(deps),
    scopes_supported: [...openIdScopes, ...oauthScopes],
    userinfo_endpoint: `${versioned}/oauth/userinfo`,
    introspection_endpoint: `${versioned}/oauth/introspect`,
    introspection_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
    end_session_endpoint: `${deps.config.publicUrl}/authorize/end-session`,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [deps.settings.setOAuthOpenIdAlgorithm],
    claims_supported: [
      ...["iss", "sub", "aud", "exp", "iat", "auth_time", "nonce"],
      ...["name", "preferred_username", "locale", "email", "email_verified"],
    ],
    prompt_values_supported: ["none", "login", "consent", "select_account"],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    // Absent means true (OpenID Connect Discovery §3).
    request_uri_parameter_supported: false,
  };
}
