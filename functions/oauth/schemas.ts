import * as z from "zod";
import { codeChallenge } from "#shared/oauth/code-challenge.ts";
import * as primitives from "#shared/schemas/primitives.ts";

const applicationName = z.string().min(6).max(256);

/** An absolute URL; `https`, a loopback address (RFC 8252 §7.3), or the private scheme of an app. */
const redirectUrl = z
  .string()
  .max(2048)
  .refine(isRedirectUrl, "an absolute URL without fragment or user, over https unless it stays on the device")
  .meta({ examples: ["https://app.example.com/callback"] });

function isRedirectUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || text.includes("#") || url.username !== "" || url.password !== "") return false;
  if (/\s/.test(text)) return false;
  if (url.protocol === "https:") return true;
  if (url.protocol === "http:") return ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
  // Private schemes are named after a domain of the app's maker (RFC 8252 §7.1), so that `javascript:` is none.
  return /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(url.protocol);
}

export const newClient = z
  .object({ application_name: applicationName, redirect_url: redirectUrl })
  .meta({ id: "NewOAuthClient" });

export const clientPath = z.object({ client: primitives.uuid });
export const sessionPath = z.object({ client: primitives.uuid, token: primitives.uuid });

export const client = z
  .object({ client_id: z.uuid(), application_name: applicationName, redirect_url: z.string() })
  .meta({ id: "OAuthClient" });

/** Under both spellings, for callers of either. */
export const clientCredentials = z
  .object({ clientId: z.uuid(), clientSecret: z.string(), client_id: z.uuid(), client_secret: z.string() })
  .meta({ id: "OAuthClientCredentials" });

export const codeRequest = z
  .object({
    client_id: primitives.uuid,
    scope: z.string().max(1024),
    response_type: z.string().max(64),
    redirect_uri: z.string().max(2048),
    state: z.string().max(4096),
    code_challenge_method: z.literal("S256"),
    code_challenge: codeChallenge,
  })
  .meta({ id: "CreateOAuthAuthorizationCodeRequest" });

const text = z.string().max(4096).optional();

/** Both grants; which fields are needed depends on `grant_type`, whose check comes first. */
export const tokenRequest = z
  .object({
    grant_type: z.string().max(64),
    client_id: primitives.uuid,
    client_secret: text,
    code: text,
    redirect_uri: text,
    code_verifier: text,
    refresh_token: text,
  })
  .meta({ id: "OAuthTokenRequest" });

export const tokens = z
  .object({
    access_token: z.string(),
    refresh_token: z.string(),
    token_type: z.literal("Bearer"),
    expires_in: z.int32().meta({ description: "Seconds that the access token is valid" }),
  })
  .meta({ id: "OAuthAccessTokenResponse" });

const presentedToken = z.string().max(4096);
const revoker = z.object({ client_id: primitives.uuid, client_secret: text });

/** The form of the interface, or that of RFC 7009 §2.1. */
export const revokeRequest = z.union([
  revoker.extend({ refresh_token: presentedToken }).meta({ id: "OAuthRevokeRefreshTokenRequest" }),
  revoker.extend({ token: presentedToken, token_type_hint: text }).meta({ id: "TokenRevocationRequest" }),
]);

const session = z
  .object({ refresh_token_id: z.uuid(), created_at: primitives.utcTime })
  .meta({ id: "OAuthSession" });

const application = z.object({ id: z.uuid(), name: applicationName });
export const applications = z.array(
  application.extend({ sessions: z.array(session) }).meta({ id: "OAuthApplication" }),
);
export const applicationsV0 = z.array(application.meta({ id: "OAuthApplicationV0" }));

export const passwordBody = z
  .object({ password: primitives.password.optional() })
  .meta({ id: "PasswordReqBody" });

/** Authorization server metadata (RFC 8414 §2). */
export const metadata = z
  .object({
    issuer: z.url(),
    authorization_endpoint: z.url(),
    token_endpoint: z.url(),
    revocation_endpoint: z.url(),
    jwks_uri: z.url(),
    scopes_supported: z.array(z.string()),
    response_types_supported: z.array(z.string()),
    response_modes_supported: z.array(z.string()),
    grant_types_supported: z.array(z.string()),
    token_endpoint_auth_methods_supported: z.array(z.string()),
    revocation_endpoint_auth_methods_supported: z.array(z.string()),
    code_challenge_methods_supported: z.array(z.string()),
    authorization_response_iss_parameter_supported: z.boolean(),
    ui_locales_supported: z.array(z.string()),
  })
  .meta({ id: "AuthorizationServerMetadata" });

export const jwks = z
  .object({
    keys: z.array(
      z.object({
        kty: z.literal("OKP"),
        crv: z.literal("Ed25519"),
        x: z.string(),
        kid: z.string(),
        alg: z.literal("EdDSA"),
        use: z.literal("sig"),
      }),
    ),
  })
  .meta({ id: "JwkSet" });

export type TokenRequest = z.output<typeof tokenRequest>;
export type Tokens = z.input<typeof tokens>;
