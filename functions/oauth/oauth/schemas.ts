import * as z from "zod";
import * as accountTypes from "#shared/accounts/account-types.ts";
import { codeChallenge } from "#shared/oauth/code-challenge.ts";
import { redirectedState } from "#shared/oauth/redirect-with.ts";
import { cursorOf, pageQuery } from "#shared/platform/http/cursor.ts";
import * as wire from "#shared/platform/http/wire-types.ts";

const applicationName = z
  .string()
  .min(6)
  .max(256)
  .meta({ description: "Name of the app on the consent page" });
const appId = wire.uuid.meta({ description: "Id of the app" });
const secret = z.string().meta({ description: "64 hex digits; never shown again" });
const scope = z.string().max(1024).meta({
  description: "Scopes, separated by spaces; an unknown one makes the token useless",
});

const mostFurtherRedirectUrls = 20;

/** An absolute URL; `https`, a loopback address (RFC 8252 §7.3), or the private scheme of an app. */
const redirectUrl = z
  .string()
  .max(2048)
  .refine(isRedirectUrl, "an absolute URL without fragment or user, over https unless it stays on the device")
  .refine((text) => !hasAnswer(text), "must not have parameters that a response adds")
  .meta({
    description: "Where the browser returns to: https, a loopback address, or a private scheme of the app",
    examples: ["https://app.example.com/callback"],
  });

/** Parameters of a response (RFC 6749 §4.1.2, RFC 9207): an app must not find two of them. */
const answerParameters = ["code", "state", "iss", "error", "error_description"];

function hasAnswer(text: string): boolean {
  const query = URL.parse(text)?.searchParams;
  return answerParameters.some((name) => query?.has(name));
}

function isRedirectUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || text.includes("#") || url.username !== "" || url.password !== "") return false;
  if (/\s/.test(text)) return false;
  if (url.protocol === "https:") return true;
  if (url.protocol === "http:") return ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
  // Private schemes are named after a domain of the app's maker (RFC 8252 §7.1), which rules out `javascript:`.
  return /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(url.protocol);
}

export const newApp = z
  .object({
    application_name: applicationName,
    redirect_url: redirectUrl,
    further_redirect_urls: z
      .array(redirectUrl)
      .max(mostFurtherRedirectUrls)
      .optional()
      .meta({ description: "Further redirect URLs, each compared exactly, too" }),
  })
  .meta({
    id: "NewOAuthClient",
    examples: [{ application_name: "Calendar", redirect_url: "https://app.example.com/callback" }],
  });

export const appPath = z.object({ client: appId });
export const grantPath = appPath.extend({ uid: wire.userId });
export const sessionPath = z.object({
  client: appId,
  token: wire.uuid.meta({ description: "Id of the refresh token, from `get-oauth-applications`" }),
});

export const app = z
  .object({
    client_id: z.uuid(),
    application_name: applicationName,
    redirect_url: z.string(),
    further_redirect_urls: z.array(z.string()).optional(),
  })
  .meta({ id: "OAuthClient" });

/** Cursor in the list of apps. */
export const appCursor = cursorOf("oauth-clients", z.strictObject({ after: wire.uuid }));

export const appsQuery = pageQuery(appCursor);

export const appsPage = z
  .object({ clients: z.array(app.extend({ created_at: wire.utcSecond })), next: wire.nextCursor.optional() })
  .meta({ id: "OAuthClients" });

/** Each field in both spellings, because callers use either. */
export const appCredentials = z
  .object({ clientId: z.uuid(), clientSecret: secret, client_id: z.uuid(), client_secret: secret })
  .meta({ id: "OAuthClientCredentials", description: "Id and secret, each under two spellings" });

export const codeRequest = z
  .object({
    client_id: appId,
    scope,
    response_type: z.string().max(64).meta({ description: "`code`" }),
    redirect_uri: z.string().max(2048).meta({ description: "The redirect URL of the app, as registered" }),
    state: redirectedState,
    code_challenge_method: z.literal("S256"),
    code_challenge: codeChallenge,
  })
  .meta({
    id: "CreateOAuthAuthorizationCodeRequest",
    examples: [
      {
        client_id: "5c1a7e42-93b8-4d0f-8e6a-2f9b3c4d5e6f",
        scope: "read:self",
        response_type: "code",
        redirect_uri: "https://app.example.com/callback",
        state: "xcoiv98y2kd22vusuye3kch",
        code_challenge_method: "S256",
        code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      },
    ],
  });

const text = z.string().max(4096).optional();

/** Body for both grant types; which fields are required depends on `grant_type`, which is checked first. */
export const tokenRequest = z
  .object({
    grant_type: z.string().max(64).meta({ description: "`authorization_code` or `refresh_token`" }),
    client_id: appId.optional().meta({ description: "Id of the app; required unless sent by HTTP Basic" }),
    client_secret: text.meta({
      description: "Must be correct if sent; required for refreshing up to version 4",
    }),
    code: text.meta({ description: "Authorization code; for the grant type `authorization_code`" }),
    redirect_uri: text.meta({
      description: "Same as in the authorization request; for the grant type `authorization_code`",
    }),
    code_verifier: text.meta({
      description: "43 to 128 characters (RFC 7636 §4.1); for the grant type `authorization_code`",
    }),
    refresh_token: text.meta({ description: "For the grant type `refresh_token`" }),
    scope: z
      .string()
      .optional()
      .meta({ description: "Changes nothing: the tokens have the scope that the user has granted" }),
  })
  .meta({
    id: "OAuthTokenRequest",
    examples: [
      {
        grant_type: "authorization_code",
        client_id: "5c1a7e42-93b8-4d0f-8e6a-2f9b3c4d5e6f",
        code: "7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677284addd200126d9069",
        redirect_uri: "https://app.example.com/callback",
        code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
      },
    ],
  });

export const tokens = z
  .object({
    access_token: z.string().meta({ description: "A JWT for the operations that require a granted scope" }),
    refresh_token: z.string().meta({ description: "Valid for one refresh, which returns the next one" }),
    token_type: z.literal("Bearer"),
    expires_in: z.int32().meta({ description: "Lifetime of the access token in seconds" }),
    scope: z.string().optional().meta({
      description:
        "What the access token is good for, if that differs from what the app asked for (RFC 6749 §5.1)",
    }),
    id_token: z
      .string()
      .optional()
      .meta({ description: "With the scope `openid`: a JWT that says who has logged in" }),
  })
  .meta({ id: "OAuthAccessTokenResponse" });

const presentedToken = z.string().max(4096).meta({ description: "A refresh token" });
const revoker = z.object({ client_id: appId.optional(), client_secret: text });

/** The original fields of this interface, or those of RFC 7009 §2.1. */
export const revokeRequest = z.union([
  revoker.extend({ refresh_token: presentedToken }).meta({
    id: "OAuthRevokeRefreshTokenRequest",
    description: "An unknown token is an error",
    examples: [
      { client_id: "5c1a7e42-93b8-4d0f-8e6a-2f9b3c4d5e6f", refresh_token: "eyJhbGciOiJFZERTQSJ9.e30.c2ln" },
    ],
  }),
  revoker.extend({ token: presentedToken, token_type_hint: text.meta({ description: "Ignored" }) }).meta({
    id: "TokenRevocationRequest",
    description: "As in RFC 7009 §2.1, where an unknown token is fine",
    examples: [{ client_id: "5c1a7e42-93b8-4d0f-8e6a-2f9b3c4d5e6f", token: "eyJhbGciOiJFZERTQSJ9.e30.c2ln" }],
  }),
]);

const session = z
  .object({
    refresh_token_id: z.uuid(),
    created_at: wire.utcTime.meta({
      description: "When the refresh token was issued, with milliseconds",
    }),
  })
  .meta({ id: "OAuthSession" });

const application = z.object({ id: z.uuid(), name: applicationName });
export const applications = z.array(
  application.extend({ sessions: z.array(session) }).meta({ id: "OAuthApplication" }),
);
export const applicationsV0 = z.array(application.meta({ id: "OAuthApplicationV0" }));

export const passwordBody = z.object({ password: accountTypes.password.optional() }).meta({
  id: "PasswordConfirmation",
  examples: [{ password: "correct horse battery" }],
});

const serverMetadata = z.object({
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
});

/** Authorization server metadata (RFC 8414 §2). */
export const metadata = serverMetadata.meta({
  id: "AuthorizationServerMetadata",
  description: "See RFC 8414 §2",
});

/** Metadata for libraries that sign people in. */
export const openIdConfiguration = serverMetadata
  .extend({
    userinfo_endpoint: z.url(),
    introspection_endpoint: z.url(),
    introspection_endpoint_auth_methods_supported: z.array(z.string()),
    end_session_endpoint: z.url(),
    subject_types_supported: z.array(z.string()),
    id_token_signing_alg_values_supported: z.array(z.string()),
    claims_supported: z.array(z.string()),
    prompt_values_supported: z.array(z.string()),
    claims_parameter_supported: z.boolean(),
    request_parameter_supported: z.boolean(),
    request_uri_parameter_supported: z.boolean(),
  })
  .meta({ id: "OpenIdConfiguration", description: "See OpenID Connect Discovery §3" });

export const userInfo = z
  .object({
    sub: z.uuid().meta({ description: "Id of the user, as in the id token" }),
    name: z.string().optional().meta({ description: "With the scope `profile`" }),
    preferred_username: z
      .string()
      .optional()
      .meta({ description: "The handle, with the scope `profile`; absent if there is none" }),
    locale: z.string().optional().meta({ description: "With the scope `profile`" }),
    email: z.string().optional().meta({ description: "With the scope `email`; absent if there is none" }),
    email_verified: z
      .boolean()
      .optional()
      .meta({ description: "Whether the user has proved the address, not only a directory has named it" }),
  })
  .meta({ id: "UserInfo", description: "See OpenID Connect Core §5.1" });

export const introspectionRequest = z
  .object({
    client_id: appId.optional().meta({ description: "Id of the app; required unless sent by HTTP Basic" }),
    client_secret: text.meta({ description: "Required here or by HTTP Basic" }),
    token: z.string().max(4096).meta({ description: "An access or refresh token of the app" }),
    token_type_hint: text.meta({ description: "Ignored" }),
  })
  .meta({
    id: "TokenIntrospectionRequest",
    examples: [
      {
        client_id: "5c1a7e42-93b8-4d0f-8e6a-2f9b3c4d5e6f",
        client_secret: "7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677284addd200126d9069",
        token: "eyJhbGciOiJFZERTQSJ9.e30.c2ln",
      },
    ],
  });

export const introspection = z
  .object({
    active: z.boolean().meta({ description: "Whether the token is one of this app, and valid" }),
    scope: z.string().optional(),
    client_id: z.uuid().optional(),
    sub: z.uuid().optional(),
    iss: z.string().optional(),
    aud: z.string().optional(),
    iat: z.int().optional(),
    exp: z.int().optional(),
    token_type: z.literal("Bearer").optional().meta({ description: "Of access tokens" }),
  })
  .meta({ id: "TokenIntrospection", description: "See RFC 7662 §2.2" });

const jwk = z.object({ x: z.string(), kid: z.string(), use: z.literal("sig") });

export const jwks = z
  .object({
    keys: z.array(
      z.union([
        jwk.extend({ kty: z.literal("OKP"), crv: z.literal("Ed25519"), alg: z.literal("EdDSA") }),
        jwk.extend({ kty: z.literal("EC"), crv: z.literal("P-256"), y: z.string(), alg: z.literal("ES256") }),
      ]),
    ),
  })
  .meta({ id: "JwkSet", description: "See RFC 7517 §5" });

export type TokenRequest = z.output<typeof tokenRequest>;
export type Tokens = z.input<typeof tokens>;
