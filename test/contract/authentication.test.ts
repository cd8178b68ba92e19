import { describe, expect, it } from "vitest";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { HttpEvent } from "#shared/platform/http/request.ts";
import type { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { type OAuthScope, oauthScopes } from "#shared/registry/oauth-scopes.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { authenticate } from "#shared/sessions/tokens/authenticate.ts";
import { JwtSigner, JwtVerifier } from "#shared/sessions/tokens/jwt.ts";
import { newSigningKeySet, verificationKeysOf } from "#shared/sessions/tokens/signing-keys.ts";
import { TokenIssuer } from "#shared/sessions/tokens/token-issuer.ts";
import { TokenVerifier } from "#shared/sessions/tokens/token-verifier.ts";
import { isSigned, operationTargets, type Target } from "../support/targets.ts";

/** Which tokens the row of each operation accepts, checked with signed tokens and the code that verifies them. */

const settings = parseSettings({});
const userId = "6f0c2c0e-3a51-4f7e-9d55-5f6c1e3f0a01";
const now = Math.floor(Date.now() / 1000);
const keys = newSigningKeySet();
const published = verificationKeysOf(keys, { keys: [] }, 0);
const parsed = new Map<unknown, unknown>();
const secrets = {
  async get(name: string, parse: (text: string) => unknown) {
    if (!parsed.has(parse))
      parsed.set(parse, parse(JSON.stringify(name === "signing-keys" ? keys : published)));
    return parsed.get(parse);
  },
} as unknown as SecretReader;
const context = { secrets, settings, clock: Date.now };
const deps = {
  verifier: new TokenVerifier(context),
  jwtVerifier: new JwtVerifier(context),
  legalHoldSessions: { includes: async () => true },
};

const issuerAt = (seconds: number) => new TokenIssuer({ ...context, clock: () => seconds * 1000 });
const signedAt = async (seconds: number) => ({
  user: (await issuerAt(seconds).accessToken({ userId, connectionId: "1" })).access_token,
  provider: (await issuerAt(seconds).providerToken(userId)).text,
});
const expired = await signedAt(now - 86_400);
const session = { userId, cookieId: 1, isSession: true, expiresAtSeconds: now + 900 };
const claims = { iss: settings.domain, aud: settings.domain, sub: userId, iat: now, exp: now + 900 };
const appToken = (scopes: readonly OAuthScope[]) =>
  new JwtSigner(context).sign("at+jwt", { ...claims, scope: scopes.join(" ") });
/** Scopes of apps' tokens: for each scope, a token with it alone and one with all others. */
const grants = oauthScopes.flatMap((scope) => [[scope], oauthScopes.filter((other) => other !== scope)]);
const tokensOfApps = await Promise.all(
  grants.map(async (scopes) => ({ name: `app with ${scopes}`, scopes, token: await appToken(scopes) })),
);
/** A token of each class that the service signs. */
const tokens = {
  ...(await signedAt(now)),
  cookie: await issuerAt(now).cookieToken(session),
  legalHold: (await issuerAt(now).accessToken({ userId, connectionId: "1", isLegalHold: true })).access_token,
  ...Object.fromEntries(tokensOfApps.map(({ name, token }) => [name, token])),
  bot: await issuerAt(now).botToken({ providerId: userId, botId: userId, conversationId: userId }),
};

/** `accepted`, `anybody` if the caller is not authenticated, or the name of an error. */
async function verdictOn(
  { route }: Target,
  token: string | undefined,
  headers: object = {},
): Promise<string> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const event = { headers: { ...authorization, ...headers }, rawQueryString: "", requestContext: {} };
  try {
    const actor = await authenticate(event as unknown as HttpEvent, route, deps);
    return actor === undefined ? "anybody" : "accepted";
  } catch (error) {
    if (error instanceof ApiError) return error.error;
    throw error;
  }
}

/** Checks a verdict on each token for each operation; a failure names operation and token. */
async function expectVerdicts(
  targets: readonly Target[],
  presented: (target: Target) => Readonly<Record<string, string | undefined>>,
  expected: (target: Target, name: string) => string,
): Promise<void> {
  expect(targets.length).toBeGreaterThan(0);
  const wrong: string[] = [];
  for (const target of targets)
    for (const [name, token] of Object.entries(presented(target))) {
      const verdict = await verdictOn(target, token);
      if (verdict !== expected(target, name)) wrong.push(`${target.name}, ${name}: ${verdict}`);
    }
  expect(wrong).toEqual([]);
}

const forge = (token: string) => token.replace(/^./, (first) => (first === "A" ? "B" : "A"));
const ownToken = ({ route: { auth } }: Target) => (isSigned(auth) ? tokens[auth] : "");

describe("an operation for users, providers or bots", () => {
  const signed = operationTargets.filter(({ route }) => isSigned(route.auth));

  it("accepts the classes of tokens that its row names, and refuses all others with 403", async () => {
    const isNamed = ({ route: { auth, scope, allowsLegalHold } }: Target, name: string) => {
      const app = tokensOfApps.find((one) => one.name === name);
      if (app !== undefined) return app.scopes.some((one) => one === scope);
      return name === auth || (name === "legalHold" && allowsLegalHold);
    };
    await expectVerdicts(
      signed,
      () => tokens,
      (target, name) => (isNamed(target, name) ? "accepted" : "token-class-forbidden"),
    );
  });

  it("refuses forged, expired and absent tokens with 401", async () => {
    await expectVerdicts(
      signed,
      (target) => ({ absent: undefined, forged: forge(ownToken(target)), ...expired }),
      () => "unauthenticated",
    );
  });

  it("is open to apps only where the interface lists it", () => {
    const opened = operationTargets.flatMap(({ route: { method, path, scope } }) =>
      scope === undefined ? [] : [`${scope}: ${method} ${path}`],
    );
    expect([...new Set(opened)].sort()).toEqual([
      "openid: GET /oauth/userinfo",
      "openid: POST /oauth/userinfo",
      "read:feature_configs: GET /feature-configs",
      "read:self: GET /self",
      "write:conversations: POST /conversations",
      "write:conversations: POST /conversations/one2one",
      "write:conversations: POST /one2one-conversations",
      "write:conversations_code: POST /conversations/{cid}/code",
    ]);
  });

  it("ignores a user in a header on the public API", async () => {
    for (const target of signed) {
      const headers = { "z-user": "00000000-0000-4000-8000-000000000000" };
      expect([target.name, await verdictOn(target, undefined, headers)]).toEqual([
        target.name,
        "unauthenticated",
      ]);
    }
  });
});

describe("an operation that authenticates nobody", () => {
  it("ignores tokens, whatever they are", async () => {
    await expectVerdicts(
      operationTargets.filter(({ route }) => route.auth === "none" || route.auth === "internal"),
      () => ({ ...tokens, ...expired, forged: forge(tokens.user), garbage: "garbage", absent: undefined }),
      () => "anybody",
    );
  });
});
