import { createHmac, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type Api, api, internalApi, outcome } from "../../support/api.ts";
import {
  newApp,
  newAuthorization,
  newCode,
  pkce,
  postForm,
  redeem,
  redirectQuery,
  refresh,
  requestOf,
} from "../../support/oauth.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newUser } from "../../support/users.ts";

const own = await stackWith(
  {
    setOAuthMaxActiveRefreshTokens: 3,
    setOAuthRefreshTokenReuseGraceSecs: 10,
    setOAuthRefreshTokenExpirationTimeSecs: 86_400,
  },
  { isClockStopped: true },
);

const decode = (part: string | undefined) => JSON.parse(Buffer.from(part ?? "", "base64url").toString());
const claimsOf = (token: string) => decode(token.split(".")[1]);
const outcomesOf = (answers: { status: number; body: unknown }[]) => answers.map(outcome).sort();
const twentyTimes = <Result>(task: () => Promise<Result>) => Promise.all(Array.from({ length: 20 }, task));
const self = (token: string, publicApi: Api = api) => publicApi("GET", "/self", { token });

describe.concurrent("the code grant", () => {
  it("gives an app what the user consented to", async () => {
    const { app, user, tokens } = await newAuthorization();
    const { status, body } = await self(tokens.access_token);

    expect(status).toBe(200);
    expect(body).toMatchObject({ id: user.id, email: user.email });
    expect(tokens).toEqual({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      token_type: "Bearer",
      expires_in: 300,
    });
    const { iat, exp, ...claims } = claimsOf(tokens.access_token);
    expect(claims).toEqual({
      iss: "parley.localhost",
      aud: "parley.localhost",
      sub: user.id,
      client_id: app.client_id,
      scope: "read:self",
    });
    expect(exp - iat).toBe(300);
    expect(Object.keys(claimsOf(tokens.refresh_token))).toEqual(["sub"]);
    expect((await redeem(app, await newCode(app, user))).headers.get("cache-control")).toBe("no-store");
  });

  it("returns 404 not-found for a code that was redeemed before", async () => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const code = await newCode(app, user);
    const { body: tokens } = await redeem(app, code);
    expect(outcome(await redeem(app, code))).toBe("404 not-found");
    expect(outcome(await refresh(app, tokens.refresh_token))).toBe("200");
  });

  it("succeeds exactly once when a code is redeemed by 20 concurrent requests", async () => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const code = await newCode(app, user);
    const outcomes = outcomesOf(await twentyTimes(() => redeem(app, code)));
    expect(outcomes).toEqual(["200", ...Array(19).fill("404 not-found")]);
  });

  it.each([
    ["a wrong verifier", { code_verifier: pkce().verifier }, "403 invalid_grant", "uses up"],
    [
      "another redirect URL",
      { redirect_uri: "https://evil.example.com/" },
      "400 redirect-url-miss-match",
      "leaves",
    ],
    ["a wrong secret", { client_secret: "wrong" }, "403 forbidden", "leaves"],
    ["an unknown app", { client_id: randomUUID() }, "404 not-found", "leaves"],
  ])("refuses %s, for %j with %s, and %s the code", async (_, fields, expected, effect) => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const code = await newCode(app, user);
    expect(outcome(await redeem(app, code, fields))).toBe(expected);
    expect(outcome(await redeem(app, code))).toBe(effect === "leaves" ? "200" : "404 not-found");
  });

  it("must not be answered from a cache, not even one of HTTP 1.0", async () => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const { headers } = await redeem(app, await newCode(app, user));
    expect([headers.get("pragma"), headers.get("cache-control")]).toEqual(["no-cache", "no-store"]);
  });

  it("refuses a code of another app", async () => {
    const [app, other, user] = await Promise.all([newApp(), newApp(), newUser()]);
    const code = await newCode(app, user);
    const fields = { redirect_uri: app.redirect_url };
    expect(outcome(await redeem(other, code, fields))).toBe("403 forbidden");
    expect(outcome(await redeem(app, code))).toBe("404 not-found");
  });

  it.each([
    ["no code", { code: undefined }, "400 bad-request"],
    ["no verifier", { code_verifier: undefined }, "400 bad-request"],
    ["a short verifier", { code_verifier: "short" }, "400 bad-request"],
    ["no redirect URL", { redirect_uri: undefined }, "400 bad-request"],
    ["no client_id", { client_id: undefined }, "400 bad-request"],
    ["another grant type", { grant_type: "password" }, "403 forbidden"],
  ])("refuses a request with %s", async (_, fields, expected) => {
    const app = await newApp();
    const complete = {
      grant_type: "authorization_code",
      client_id: app.client_id,
      code: "a".repeat(64),
      code_verifier: pkce().verifier,
      redirect_uri: app.redirect_url,
    };
    const present = Object.entries({ ...complete, ...fields }).filter(([, value]) => value !== undefined);
    expect(
      outcome(await postForm("/oauth/token", Object.fromEntries(present) as Record<string, string>)),
    ).toBe(expected);
  });

  it("accepts only a form, with each parameter once", async () => {
    const json = { grant_type: "authorization_code", client_id: randomUUID() };
    expect(outcome(await api("POST", "/oauth/token", { json }))).toBe("415 unsupported-media-type");
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const body = `grant_type=refresh_token&client_id=${randomUUID()}&client_id=${randomUUID()}`;
    expect(outcome(await api("POST", "/oauth/token", { body, headers }))).toBe("400 bad-request");
  });
});

describe.concurrent("consent by the JSON endpoint", () => {
  const consent = (
    token: string | undefined,
    json: Record<string, string>,
    { publicApi } = { publicApi: api },
  ) => publicApi("POST", "/v8/oauth/authorization/codes", { json, token });

  it("redirects with code, state and issuer, and keeps the query of the redirect URL", async () => {
    const app = await newApp({ redirect_url: "https://app.example.com/callback?from=parley" });
    const answer = await consent((await newUser()).token, requestOf(app));
    const query = redirectQuery(answer);

    expect(answer.status).toBe(201);
    expect(query.get("from")).toBe("parley");
    expect(query.get("state")).toBe("some state");
    expect(query.get("code")).toMatch(/^[0-9a-f]{64}$/);
    expect(query.get("iss")).toMatch(/^http/);
  });

  it("reports errors by redirect, except to a wrong redirect URL", async () => {
    const [app, { token }] = await Promise.all([newApp(), newUser()]);
    const wrongType = await consent(token, { ...requestOf(app), response_type: "token" });
    const unknown = await consent(token, { ...requestOf(app), client_id: randomUUID() });
    const elsewhere = await consent(token, { ...requestOf(app), redirect_uri: "https://evil.example.com/" });

    expect(wrongType.status).toBe(400);
    expect(Object.fromEntries(redirectQuery(wrongType))).toMatchObject({
      error: "access_denied",
      state: "some state",
    });
    expect(unknown.status).toBe(404);
    expect(redirectQuery(unknown).get("error")).toBe("access_denied");
    expect(outcome(elsewhere)).toBe("400 redirect-url-miss-match");
    expect(elsewhere.headers.get("location")).toBeNull();
  });

  it("requires a login, and refuses an app's token", async () => {
    const { app, tokens } = await newAuthorization();
    expect(outcome(await consent(undefined, requestOf(app)))).toBe("401 unauthorized");
    expect(outcome(await consent(tokens.access_token, requestOf(app)))).toBe("403 access-denied");
  });

  it("grants nothing for a scope with an unknown word", async () => {
    const { tokens } = await newAuthorization({ scope: "read:self admin:all" });
    expect(claimsOf(tokens.access_token).scope).toBe("");
    expect(tokens.scope).toBe("");
    expect(outcome(await self(tokens.access_token))).toBe("403 access-denied");
  });

  it("shows the name and the redirect URL of the app", async () => {
    const [app, { token }] = await Promise.all([newApp({ name: "Night Train" }), newUser()]);
    const known = await api("GET", `/oauth/clients/${app.client_id}`, { token });
    const unknown = await api("GET", `/oauth/clients/${randomUUID()}`, { token });

    expect(known.body).toEqual({
      client_id: app.client_id,
      application_name: "Night Train",
      redirect_url: app.redirect_url,
    });
    expect(outcome(unknown)).toBe("404 not-found");
  });
});

describe.concurrent("refreshing", () => {
  it("returns new tokens for the same grant, and refuses the used one", async () => {
    const { app, user, tokens } = await newAuthorization({}, own);
    const { status, body } = await refresh(app, tokens.refresh_token, {}, own);

    expect(status).toBe(200);
    expect(claimsOf(body.access_token)).toMatchObject({ sub: user.id, scope: "read:self" });
    expect(outcome(await self(body.access_token, own.publicApi))).toBe("200");
    expect(outcome(await refresh(app, tokens.refresh_token, {}, own))).toBe("403 forbidden");
    expect(outcome(await refresh(app, body.refresh_token, {}, own))).toBe("200");
  });

  it("succeeds exactly once for 20 concurrent requests, which do not count as theft", async () => {
    const { app, tokens } = await newAuthorization({}, own);
    const answers = await twentyTimes(() => refresh(app, tokens.refresh_token, {}, own));
    const [winner] = answers.filter(({ status }) => status === 200);

    expect(outcomesOf(answers)).toEqual(["200", ...Array(19).fill("403 forbidden")]);
    expect(outcome(await refresh(app, winner?.body.refresh_token, {}, own))).toBe("200");
  });

  it("revokes the grant immediately when a token before the previous one is used", async () => {
    const { app, tokens } = await newAuthorization();
    const { body: second } = await refresh(app, tokens.refresh_token);
    const { body: third } = await refresh(app, second.refresh_token);
    expect(outcome(await refresh(app, tokens.refresh_token))).toBe("403 forbidden");
    expect(outcome(await refresh(app, third.refresh_token))).toBe("403 forbidden");
  });

  it("is refused for another app, and revokes the grant", async () => {
    const [{ app, tokens }, other] = await Promise.all([newAuthorization(), newApp()]);
    expect(outcome(await refresh(other, tokens.refresh_token))).toBe("403 forbidden");
    expect(outcome(await refresh(app, tokens.refresh_token))).toBe("403 forbidden");
  });

  it("requires the secret where the version does, and the right one wherever it is sent", async () => {
    const { app, tokens } = await newAuthorization();
    const fields = {
      grant_type: "refresh_token",
      client_id: app.client_id,
      refresh_token: tokens.refresh_token,
    };
    const { client_secret } = app;

    expect(outcome(await postForm("/oauth/token", fields))).toBe("400 bad-request");
    expect(outcome(await postForm("/v4/oauth/token", fields))).toBe("400 bad-request");
    expect(outcome(await postForm("/v4/oauth/token", { ...fields, client_secret: "x" }))).toBe(
      "403 forbidden",
    );
    expect(outcome(await refresh(app, tokens.refresh_token, { client_secret: "x" }))).toBe("403 forbidden");
    expect(outcome(await postForm("/v4/oauth/token", { ...fields, client_secret }))).toBe("200");
  });

  it("is refused for a suspended user", async () => {
    const { app, user, tokens } = await newAuthorization();
    await internalApi("PUT", `/i/users/${user.id}/status`, { json: { status: "suspended" } });
    expect(outcome(await refresh(app, tokens.refresh_token))).toBe("403 forbidden");
  });
});

describe.concurrent("revoking", () => {
  it("ends a refresh token, but not its access token", async () => {
    const { app, tokens } = await newAuthorization();
    const json = {
      client_id: app.client_id,
      client_secret: app.client_secret,
      refresh_token: tokens.refresh_token,
    };
    expect(outcome(await api("POST", "/oauth/revoke", { json }))).toBe("200");
    expect(outcome(await refresh(app, tokens.refresh_token))).toBe("403 forbidden");
    expect(outcome(await self(tokens.access_token))).toBe("200");
    expect(outcome(await api("POST", "/oauth/revoke", { json }))).toBe("403 forbidden");
  });

  it("requires the secret where the version does, and a known token and app", async () => {
    const [{ app, tokens }, other] = await Promise.all([newAuthorization(), newApp()]);
    const json = { client_id: app.client_id, refresh_token: tokens.refresh_token };
    const revoke = (change: object, version = "/v8") =>
      api("POST", `${version}/oauth/revoke`, { json: { ...json, ...change } });

    expect(outcome(await revoke({}, ""))).toBe("400 bad-request");
    expect(outcome(await revoke({ client_secret: "x" }))).toBe("403 forbidden");
    expect(outcome(await revoke({ client_id: other.client_id }))).toBe("403 forbidden");
    expect(outcome(await revoke({ client_id: randomUUID() }))).toBe("404 not-found");
    expect(outcome(await revoke({ refresh_token: "forged" }))).toBe("403 forbidden");
    expect(outcome(await revoke({ refresh_token: tokens.access_token }))).toBe("403 forbidden");
    expect(outcome(await revoke({}))).toBe("200");
  });

  it("refuses an access token, which it cannot end, with unsupported_token_type (RFC 7009 §2.2.1)", async () => {
    const { app, tokens } = await newAuthorization();
    const fields = { client_id: app.client_id, token: tokens.access_token };
    const refused = await postForm("/v8/oauth/revoke", fields);
    expect(outcome(refused)).toBe("400 unsupported_token_type");
    expect(refused.body.error).toBe("unsupported_token_type");
    expect(outcome(await self(tokens.access_token))).toBe("200");
    const forged = `${tokens.access_token.slice(0, -4)}AAAA`;
    expect(outcome(await postForm("/v8/oauth/revoke", { ...fields, token: forged }))).toBe("200");
  });

  it("returns 200 for a token that was revoked before (RFC 7009)", async () => {
    const { app, tokens } = await newAuthorization();
    const fields = { client_id: app.client_id, token: tokens.refresh_token };
    expect(outcome(await postForm("/v8/oauth/revoke", fields))).toBe("200");
    expect(outcome(await postForm("/v8/oauth/revoke", fields))).toBe("200");
    expect(outcome(await refresh(app, tokens.refresh_token))).toBe("403 forbidden");
  });
});

describe.concurrent("access tokens", () => {
  const resign = (
    token: string,
    change: { header?: object; claims?: object },
    key: (input: string) => string,
  ) => {
    const [header, claims] = token.split(".");
    const input = [
      { ...decode(header), ...change.header },
      { ...decode(claims), ...change.claims },
    ]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    return `${input}.${key(input)}`;
  };
  const { privateKey } = generateKeyPairSync("ed25519");
  const byStranger = (input: string) => sign(null, Buffer.from(input), privateKey).toString("base64url");

  it("give access only to what their scope names", async () => {
    const { tokens } = await newAuthorization();
    const { access_token: token } = tokens;
    expect(outcome(await api("GET", "/cookies", { token }))).toBe("403 access-denied");
    expect(outcome(await api("GET", "/notifications", { token }))).toBe("403 access-denied");
    expect(outcome(await api("GET", "/v8/oauth/applications", { token }))).toBe("403 access-denied");
    const { tokens: others } = await newAuthorization({ scope: "write:conversations" });
    expect(outcome(await self(others.access_token))).toBe("403 access-denied");
  });

  it("are refused with 401 unauthorized when they are forged", async () => {
    const { tokens } = await newAuthorization();
    const { access_token: token, refresh_token } = tokens;
    const { body: jwks } = await api("GET", "/oauth/jwks");
    const publicKey = Buffer.from(jwks.keys[0].x, "base64url");
    const [header, claims, signature] = token.split(".");
    const forged = [
      resign(token, { header: { alg: "none" } }, () => ""),
      resign(token, { header: { alg: "none" } }, () => signature ?? ""),
      resign(token, { header: { alg: "HS256" } }, (input) =>
        createHmac("sha256", publicKey).update(input).digest("base64url"),
      ),
      resign(token, { header: { alg: "HS256" } }, (input) =>
        createHmac("sha256", jwks.keys[0].x).update(input).digest("base64url"),
      ),
      resign(token, {}, byStranger),
      resign(token, { header: { kid: "99" } }, byStranger),
      resign(token, { header: { jwk: { kty: "OKP" }, kid: undefined } }, byStranger),
      `${header}.${Buffer.from(JSON.stringify({ ...decode(claims), scope: "admin" })).toString("base64url")}.${signature}`,
      refresh_token,
      "a.b.c",
      "..",
    ];
    for (const candidate of forged)
      expect(outcome(await self(candidate)), candidate).toBe("401 unauthorized");
  });

  it("cannot be replaced by cookies", async () => {
    const { cookie } = await newUser();
    expect(outcome(await self(cookie))).toBe("403 access-denied");
  });

  it("can be verified with the published keys", async () => {
    const { jwtVerify, createLocalJWKSet } = await import("jose");
    const { tokens } = await newAuthorization();
    const { body } = await api("GET", "/oauth/jwks");
    const { payload } = await jwtVerify(tokens.access_token, createLocalJWKSet(body), { typ: "at+jwt" });
    expect(payload.iss).toBe("parley.localhost");
    expect(JSON.stringify(body)).not.toContain('"d"');
  });
});

describe("OAuth while it is disabled", () => {
  it("returns 403 forbidden from every endpoint", async () => {
    const stack = await stackWith({ setOAuthEnabled: false });
    const { token } = await newUser({}, stack);
    const app = { client_id: randomUUID(), client_secret: "x", redirect_url: "https://app.example.com/" };
    const json = { application_name: "Calendar", redirect_url: app.redirect_url };
    const appPath = `/i/oauth/clients/${app.client_id}`;
    const answers = await Promise.all([
      stack.internalApi("POST", "/i/oauth/clients", { json }),
      stack.internalApi("GET", appPath),
      stack.internalApi("PUT", appPath, { json }),
      stack.internalApi("DELETE", appPath),
      stack.internalApi("POST", `${appPath}/secret`),
      stack.publicApi("GET", `/oauth/clients/${app.client_id}`, { token }),
      stack.publicApi("GET", "/.well-known/oauth-authorization-server"),
      stack.publicApi("GET", "/oauth/jwks"),
      stack.publicApi("GET", `/authorize?${new URLSearchParams(requestOf(app))}`),
      redeem(app, { code: "x", verifier: pkce().verifier }, {}, stack),
      refresh(app, "x", {}, stack),
      stack.publicApi("POST", "/v8/oauth/revoke", { json: { client_id: app.client_id, refresh_token: "x" } }),
    ]);
    expect(answers.map(outcome)).toEqual(Array(answers.length).fill("403 forbidden"));
    const consent = await stack.publicApi("POST", "/v8/oauth/authorization/codes", {
      json: requestOf(app),
      token,
    });
    expect(consent.status).toBe(403);
    expect(redirectQuery(consent).get("error")).toBe("access_denied");
  });
});
