import { createHmac, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { interceptAwsCalls } from "#lib/local/aws-calls.ts";
import { type Api, api, internalApi, outcome } from "../../support/api.ts";
import {
  newApp,
  newAuthorization,
  newCode,
  newTokens,
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
    expect(tokens).toMatchObject({ token_type: "Bearer", expires_in: 300 });
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

  it("may be answered from no cache, not even one of HTTP 1.0", async () => {
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

describe.concurrent("applications", () => {
  const list = async (token: string, version = "/v8") =>
    (await api("GET", `${version}/oauth/applications`, { token })).body;

  it("are listed with their sessions, or without them in old versions", async () => {
    const [app, user] = await Promise.all([newApp({ name: "Planner" }), newUser()]);
    expect(await list(user.token)).toEqual([]);
    const tokens = await newTokens(app, user);

    expect(await list(user.token)).toEqual([
      {
        id: app.client_id,
        name: "Planner",
        sessions: [
          {
            refresh_token_id: claimsOf(tokens.refresh_token).sub,
            created_at: expect.stringMatching(/^\d{4}-.*Z$/),
          },
        ],
      },
    ]);
    expect(await list(user.token, "/v5")).toEqual([{ id: app.client_id, name: "Planner" }]);
  });

  it("are revoked one by one, with the right password", async () => {
    const [app, other, user] = await Promise.all([newApp(), newApp(), newUser()]);
    const [tokens, kept] = await Promise.all([newTokens(app, user), newTokens(other, user)]);
    const { token, password } = user;
    const path = `/v8/oauth/applications/${app.client_id}/sessions`;

    const wrong = await api("DELETE", path, { token, json: { password: "wrong password" } });
    const missing = await api("DELETE", path, { token, json: {} });
    expect(outcomesOf([wrong, missing])).toEqual(["403 access-denied", "403 access-denied"]);
    expect(outcome(await api("DELETE", path, { token, json: { password } }))).toBe("204");
    expect(outcome(await api("DELETE", path, { token, json: { password } }))).toBe("204");
    expect(outcome(await refresh(app, tokens.refresh_token))).toBe("403 forbidden");
    expect(outcome(await refresh(other, kept.refresh_token))).toBe("200");
  });

  it("are revoked by an operator without the password, but only those of one app", async () => {
    const { app, user, tokens } = await newAuthorization();
    const other = await newApp();
    const kept = await newTokens(other, user);
    const revoke = () => internalApi("DELETE", `/i/users/${user.id}/oauth/applications/${app.client_id}`);
    expect(outcome(await revoke())).toBe("204");
    expect(outcome(await refresh(app, tokens.refresh_token))).toBe("403 forbidden");
    expect(outcome(await refresh(other, kept.refresh_token))).toBe("200");
    expect(outcome(await revoke())).toBe("204");
  });

  it("are revoked without a body in old versions", async () => {
    const { app, user, tokens } = await newAuthorization();
    const answer = await api("DELETE", `/v6/oauth/applications/${app.client_id}`, { token: user.token });
    expect(outcome(answer)).toBe("204");
    expect(outcome(await refresh(app, tokens.refresh_token))).toBe("403 forbidden");
  });

  it("have sessions that only their owner can revoke", async () => {
    const [{ app, user, tokens }, other, stranger] = await Promise.all([
      newAuthorization(),
      newApp(),
      newUser(),
    ]);
    const id = claimsOf(tokens.refresh_token).sub;
    const remove = (clientId: string, { token, password }: { token: string; password: string }) =>
      api("DELETE", `/v8/oauth/applications/${clientId}/sessions/${id}`, { token, json: { password } });

    expect(outcome(await remove(other.client_id, user))).toBe("404 not-found");
    expect(outcome(await remove(app.client_id, stranger))).toBe("200");
    expect(outcome(await remove(app.client_id, { ...user, password: "wrong password" }))).toBe(
      "403 access-denied",
    );
    expect((await list(user.token))[0].sessions).toHaveLength(1);
    expect(outcome(await remove(app.client_id, user))).toBe("200");
    expect(await list(user.token)).toEqual([]);
  });
});

describe.concurrent("apps", () => {
  const manage = (method: string, id: string, json?: object) =>
    internalApi(method, `/i/oauth/clients/${id}`, { json });
  const description = { application_name: "Renamed", redirect_url: "https://new.example.com/cb" };

  it("are created with an id and a secret, changed, and removed", async () => {
    const { body } = await internalApi("POST", "/i/oauth/clients", { json: description });
    expect(body).toEqual({
      clientId: body.client_id,
      clientSecret: body.client_secret,
      client_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      client_secret: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const view = { client_id: body.client_id, ...description };
    expect((await manage("GET", body.client_id)).body).toEqual(view);
    const changed = { ...description, application_name: "Again renamed" };
    expect((await manage("PUT", body.client_id, changed)).body).toEqual({ ...view, ...changed });
    expect(outcome(await manage("DELETE", body.client_id))).toBe("200");
    for (const method of ["GET", "DELETE"])
      expect(outcome(await manage(method, body.client_id))).toBe("404 not-found");
    expect(outcome(await manage("PUT", body.client_id, changed))).toBe("404 not-found");
  });

  it("may have several redirect URLs, each compared exactly", async () => {
    const app = await newApp();
    const further = "https://beta.example.com/callback";
    const path = `/i/oauth/clients/${app.client_id}`;
    const json = {
      application_name: "Calendar",
      redirect_url: app.redirect_url,
      further_redirect_urls: [further],
    };
    expect((await internalApi("PUT", path, { json })).body.further_redirect_urls).toEqual([further]);

    const user = await newUser();
    const beta = { ...app, redirect_url: further };
    const [first, second, mixed] = await Promise.all([
      newCode(app, user),
      newCode(beta, user),
      newCode(beta, user),
    ]);
    expect(outcome(await redeem(app, first))).toBe("200");
    expect(outcome(await redeem(app, mixed))).toBe("400 redirect-url-miss-match");
    expect(outcome(await redeem(beta, second))).toBe("200");
    const below = { ...beta, redirect_url: `${further}/` };
    const asked = await api("GET", `/authorize?${new URLSearchParams(requestOf(below))}`);
    expect(outcome(asked)).toBe("400 redirect-url-miss-match");

    const { further_redirect_urls: _, ...single } = json;
    expect((await internalApi("PUT", path, { json: single })).body).not.toHaveProperty(
      "further_redirect_urls",
    );
    const gone = await api("GET", `/authorize?${new URLSearchParams(requestOf(beta))}`);
    expect(outcome(gone)).toBe("400 redirect-url-miss-match");
  });

  it("on a device return to its own address", async () => {
    const redirect_url = "http://127.0.0.1:7777/cb";
    const [app, { token }] = await Promise.all([newApp({ redirect_url }), newUser()]);
    const answer = await api("GET", `/authorize?${new URLSearchParams(requestOf(app))}`, { token });
    expect(answer.headers.get("location")).toMatch(`${redirect_url}?code=`);
  });

  it("send their secret by HTTP Basic or in the body, never both", async () => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const tokens = await newTokens(app, user);
    const basic = (name: string, secret: string) =>
      `Basic ${Buffer.from(`${name}:${secret}`).toString("base64")}`;
    const ask = (authorization: string, fields: Record<string, string> = {}) =>
      api("POST", "/oauth/token", {
        body: new URLSearchParams({
          grant_type: "refresh_token",
          refresh_token: tokens.refresh_token,
          ...fields,
        }).toString(),
        headers: { "content-type": "application/x-www-form-urlencoded", authorization },
      });
    const right = basic(app.client_id, app.client_secret);
    expect(outcome(await ask(right, { client_secret: app.client_secret }))).toBe("400 bad-request");
    expect(outcome(await ask(right, { client_id: randomUUID() }))).toBe("400 bad-request");
    for (const wrong of [
      basic(app.client_id, "wrong"),
      basic(randomUUID(), "x"),
      basic("%", "x"),
      "Basic",
      "Basic !",
    ]) {
      const refused = await ask(wrong);
      expect(outcome(refused)).toBe("401 invalid_client");
      expect(refused.headers.get("www-authenticate")).toMatch(/^Basic realm=/);
    }
    expect(outcome(await ask(right))).toBe("200");
  });

  it("lose their tokens when they are removed", async () => {
    const { app, user, tokens } = await newAuthorization();
    await manage("DELETE", app.client_id);
    expect(outcome(await refresh(app, tokens.refresh_token))).toBe("404 not-found");
    expect((await api("GET", "/v8/oauth/applications", { token: user.token })).body).toEqual([]);
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

describe("an app that repeats a refresh because the response was lost", () => {
  const repeatable = () =>
    stackWith(
      { setOAuthRefreshTokenReuseAnswered: true, setOAuthRefreshTokenReuseGraceSecs: 10 },
      { isClockStopped: true },
    );

  it("is only refused by default, and its new refresh token stays valid", async () => {
    const { app, tokens } = await newAuthorization({}, own);
    const lost = await refresh(app, tokens.refresh_token, {}, own);
    expect(outcome(await refresh(app, tokens.refresh_token, {}, own))).toBe("403 forbidden");
    expect(outcome(await refresh(app, lost.body.refresh_token, {}, own))).toBe("200");
  });

  it("does not count as a thief when the database answers the repetition only after the grace period", async () => {
    const { app, tokens } = await newAuthorization({}, own);
    const lost = await refresh(app, tokens.refresh_token, {}, own);
    const endDelays = interceptAwsCalls(({ action }, send) => {
      if (action === "BatchGetItem") own.advance(11);
      return send();
    });
    const repeated = await refresh(app, tokens.refresh_token, {}, own).finally(endDelays);
    expect(outcome(repeated)).toBe("403 forbidden");
    expect(outcome(await refresh(app, lost.body.refresh_token, {}, own))).toBe("200");
  });

  it("gets the same refresh token again if the operator allows it, even 20 times concurrently", async () => {
    const stack = await repeatable();
    const { app, user, tokens } = await newAuthorization({}, stack);
    const answers = await twentyTimes(() => refresh(app, tokens.refresh_token, {}, stack));
    expect(new Set(answers.map(outcome))).toEqual(new Set(["200"]));
    const [next, ...others] = new Set(answers.map(({ body }) => body.refresh_token));
    expect(others).toEqual([]);
    for (const { body } of answers.slice(0, 3)) {
      expect((await self(body.access_token, stack.publicApi)).body.id).toBe(user.id);
    }
    const { body } = await stack.publicApi("GET", "/v8/oauth/applications", { token: user.token });
    expect(body[0].sessions).toHaveLength(1);
    expect(outcome(await refresh(app, next, {}, stack))).toBe("200");
  });

  it("is refused once the new refresh token has been used, and the grant ends", async () => {
    const stack = await repeatable();
    const { app, tokens } = await newAuthorization({}, stack);
    const { body: second } = await refresh(app, tokens.refresh_token, {}, stack);
    const { body: third } = await refresh(app, second.refresh_token, {}, stack);
    expect(outcome(await refresh(app, tokens.refresh_token, {}, stack))).toBe("403 forbidden");
    expect(outcome(await refresh(app, third.refresh_token, {}, stack))).toBe("403 forbidden");
  });

  it("is refused after the grace period, and the grant ends", async () => {
    const stack = await repeatable();
    const { app, tokens } = await newAuthorization({}, stack);
    const { body: second } = await refresh(app, tokens.refresh_token, {}, stack);
    stack.advance(11);
    expect(outcome(await refresh(app, tokens.refresh_token, {}, stack))).toBe("403 forbidden");
    expect(outcome(await refresh(app, second.refresh_token, {}, stack))).toBe("403 forbidden");
  });

  it("is refused after the user has revoked its access, or was suspended", async () => {
    const stack = await repeatable();
    const [{ app, user, tokens }, other] = await Promise.all([
      newAuthorization({}, stack),
      newAuthorization({}, stack),
    ]);
    await refresh(app, tokens.refresh_token, {}, stack);
    const path = `/v8/oauth/applications/${app.client_id}/sessions`;
    const json = { password: user.password };
    expect(outcome(await stack.publicApi("DELETE", path, { token: user.token, json }))).toBe("204");
    expect(outcome(await refresh(app, tokens.refresh_token, {}, stack))).toBe("403 forbidden");

    await refresh(other.app, other.tokens.refresh_token, {}, stack);
    const suspended = { json: { status: "suspended" } };
    await stack.internalApi("PUT", `/i/users/${other.user.id}/status`, suspended);
    expect(outcome(await refresh(other.app, other.tokens.refresh_token, {}, stack))).toBe("403 forbidden");
  });
});

describe("OAuth over time", () => {
  it("refuses an expired code with 404 not-found", async () => {
    const [app, user] = await Promise.all([newApp({}, own), newUser({}, own)]);
    const code = await newCode(app, user, {}, own);
    own.advance(301);
    expect(outcome(await redeem(app, code, {}, own))).toBe("404 not-found");
  });

  it("revokes the grant when an old refresh token is used after the grace period", async () => {
    const { app, tokens } = await newAuthorization({}, own);
    const { body: second } = await refresh(app, tokens.refresh_token, {}, own);
    own.advance(11);
    expect(outcome(await refresh(app, tokens.refresh_token, {}, own))).toBe("403 forbidden");
    expect(outcome(await refresh(app, second.refresh_token, {}, own))).toBe("403 forbidden");
  });

  it("refuses an expired refresh token", async () => {
    const { app, tokens } = await newAuthorization({}, own);
    own.advance(86_401);
    expect(outcome(await refresh(app, tokens.refresh_token, {}, own))).toBe("403 forbidden");
  });

  it("removes the oldest grants beyond the maximum, even for 10 concurrent codes", async () => {
    const [app, user] = await Promise.all([newApp({}, own), newUser({}, own)]);
    const first = await newTokens(app, user, {}, own);
    own.advance(1);
    const codes = await Promise.all(Array.from({ length: 10 }, () => newCode(app, user, {}, own)));
    const later = await Promise.all(codes.map((code) => redeem(app, code, {}, own)));
    const { body } = await own.publicApi("GET", "/v8/oauth/applications", { token: user.token });

    expect(outcomesOf(later)).toEqual(Array(10).fill("200"));
    expect(outcome(await refresh(app, first.refresh_token, {}, own))).toBe("403 forbidden");
    expect(body[0].sessions).toHaveLength(3);
  });

  it("accepts an app's old secret for a while after it is replaced", async () => {
    const { app, tokens } = await newAuthorization({}, own);
    const path = `/i/oauth/clients/${app.client_id}/secret`;
    const { body } = await own.internalApi("POST", path);
    const first = await refresh(app, tokens.refresh_token, { client_secret: app.client_secret }, own);
    const second = await refresh(app, first.body.refresh_token, { client_secret: body.client_secret }, own);
    const user = await newUser({}, own);
    own.advance(86_401);
    const code = { code: "0".repeat(64), verifier: pkce().verifier };

    expect(outcomesOf([first, second])).toEqual(["200", "200"]);
    expect(user.token).toBeDefined();
    const late = await refresh(app, second.body.refresh_token, { client_secret: app.client_secret }, own);
    expect(outcome(late)).toBe("403 forbidden");
    expect(outcome(await redeem(app, code, {}, own))).toBe("404 not-found");
  });

  it("refuses an expired access token", async () => {
    const { tokens } = await newAuthorization({}, own);
    own.advance(280);
    expect(outcome(await self(tokens.access_token, own.publicApi))).toBe("200");
    own.advance(24);
    expect(outcome(await self(tokens.access_token, own.publicApi))).toBe("401 unauthorized");
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
