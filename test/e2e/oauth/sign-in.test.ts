import { randomUUID } from "node:crypto";
import { createLocalJWKSet, jwtVerify } from "jose";
import * as client from "openid-client";
import { describe, expect, it } from "vitest";
import { outcome } from "../../support/api.ts";
import { type App, newApp, pkce, postForm, redeem, redirectQuery, refresh } from "../../support/oauth.ts";
import { type PageVisitor, pageVisitor } from "../../support/page-visitor.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newUser, type User } from "../../support/users.ts";

/** Covers the basic profile of the conformance suite of OpenID Connect, and logging out. */

const own = await stackWith({ setOAuthOpenIdEnabled: true }, { isClockStopped: true });
const timed = await stackWith({ setOAuthOpenIdEnabled: true }, { isClockStopped: true });
const byEs256 = await stackWith({ setOAuthOpenIdEnabled: true, setOAuthOpenIdAlgorithm: "ES256" });
const off = await stackWith();
type Stack = typeof own;

const scope = "openid profile email";

const discover = ({ publicUrl }: Stack, { client_id, client_secret }: App, method?: client.ClientAuth) =>
  client.discovery(new URL(publicUrl), client_id, { client_secret }, method ?? client.ClientSecretBasic(), {
    execute: [client.allowInsecureRequests],
  });

interface Asked {
  readonly config: client.Configuration;
  readonly search: string;
  readonly checks: client.AuthorizationCodeGrantChecks;
}

/** An authorization request as the library writes it. */
async function ask(stack: Stack, app: App, parameters: Record<string, string> = {}): Promise<Asked> {
  const config = await discover(stack, app);
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const [expectedState, nonce] = [client.randomState(), parameters.nonce ?? client.randomNonce()];
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: app.redirect_url,
    state: expectedState,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
    scope,
    ...parameters,
    nonce,
  });
  if (nonce === "") url.searchParams.delete("nonce");
  const expectedNonce = nonce === "" ? undefined : nonce;
  return { config, search: url.search, checks: { pkceCodeVerifier, expectedState, expectedNonce } };
}

const heading = { logIn: "Log in", consent: "Let “Calendar” access your account?" };

/** Log in and agree. @returns where the browser is sent */
async function agree(visitor: PageVisitor, search: string, user?: User): Promise<string> {
  let page = `/authorize${search}`;
  await visitor.open(page);
  if (user !== undefined) {
    const { email: identity, password } = user;
    const { location } = await visitor.post(page.replace("?", "/login?"), { identity, password });
    page = location ?? "";
    expect((await visitor.open(page)).heading).toBe(heading.consent);
  }
  const { location } = await visitor.post(page.replace("?", "/decision?"), { decision: "allow" });
  return location ?? "";
}

const tokensOf = ({ config, checks }: Asked, location: string) =>
  client.authorizationCodeGrant(config, new URL(location), { ...checks, idTokenExpected: true });

const errorAt = (location: string | null) => new URL(location ?? "").searchParams.get("error");

/** A user who has signed in to an app. */
async function signedIn(stack: Stack = own, parameters: Record<string, string> = {}) {
  const [app, user] = await Promise.all([newApp({}, stack), newUser({}, stack)]);
  const visitor = pageVisitor(stack);
  const asked = await ask(stack, app, parameters);
  const tokens = await tokensOf(asked, await agree(visitor, asked.search, user));
  return { app, user, visitor, tokens, claims: tokens.claims(), config: asked.config };
}

describe.concurrent("an app that signs people in", () => {
  it("finds what it needs by discovery", async () => {
    const { status, body } = await own.publicApi("GET", "/.well-known/openid-configuration");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      issuer: own.publicUrl,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["EdDSA"],
      request_uri_parameter_supported: false,
    });
  });

  it("gets an id token, and more about the person from userinfo", async () => {
    const { app, user, tokens, claims, config } = await signedIn();
    expect(claims).toMatchObject({
      iss: own.publicUrl,
      sub: user.id,
      aud: app.client_id,
      nonce: expect.any(String),
    });
    expect(claims?.auth_time).toBeLessThanOrEqual(claims?.iat ?? 0);
    const info = { sub: user.id, name: "Ada", locale: "en", email: user.email, email_verified: true };
    expect(await client.fetchUserInfo(config, tokens.access_token, user.id)).toEqual(info);
    for (const method of ["GET", "POST"]) {
      const { status, body } = await own.publicApi(method, "/oauth/userinfo", { token: tokens.access_token });
      expect([status, body]).toEqual([200, info]);
    }
    expect(tokens.scope?.split(" ").sort()).toEqual(["email", "openid", "profile"]);
  });

  it.each([
    ["openid", ["sub"]],
    ["email openid", ["email", "email_verified", "sub"]],
    ["openid profile address phone offline_access", ["locale", "name", "sub"]],
  ])("learns no more than the scope %j allows", async (scope, names) => {
    const { user, tokens, config } = await signedIn(own, { scope });
    const info = await client.fetchUserInfo(config, tokens.access_token, user.id);
    expect(Object.keys(info).sort()).toEqual(names);
  });

  it("gets id tokens signed with ES256 where the operator says so, and verifies them with a key of the JWKS", async () => {
    const { tokens, user } = await signedIn(byEs256);
    const { body } = await byEs256.publicApi("GET", "/oauth/jwks");
    const { payload, protectedHeader } = await jwtVerify(tokens.id_token ?? "", createLocalJWKSet(body));
    expect([protectedHeader.alg, payload.sub]).toEqual(["ES256", user.id]);
  });

  it("needs no nonce, and may also send its secret in the body", async () => {
    const { app, user, claims } = await signedIn(own, { nonce: "" });
    expect(claims).not.toHaveProperty("nonce");
    const config = await discover(own, app, client.ClientSecretPost());
    const asked = await ask(own, app);
    const tokens = await tokensOf({ ...asked, config }, await agree(pageVisitor(own), asked.search, user));
    expect(tokens.claims()?.sub).toBe(user.id);
  });

  it("gets another id token for the same login with each refresh", async () => {
    const { tokens, claims, config } = await signedIn();
    const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? "");
    const { nonce: _, ...same } = claims ?? {};
    expect(next.claims()).toEqual(same);
    expect((await client.fetchUserInfo(config, next.access_token, claims?.sub ?? "")).name).toBe("Ada");
  });

  it("uses a code once", async () => {
    const [app, user] = await Promise.all([newApp({}, own), newUser({}, own)]);
    const asked = await ask(own, app);
    const location = await agree(pageVisitor(own), asked.search, user);
    await tokensOf(asked, location);
    await expect(tokensOf(asked, location)).rejects.toThrow(
      expect.objectContaining({ error: "invalid_grant" }),
    );
  });

  it("may send its request as a form, with unknown parameters", async () => {
    const { search } = await ask(own, await newApp({}, own), {
      display: "popup",
      acr_values: "1 2",
      extra: "foobar",
    });
    const { status, headers } = await postForm(
      "/authorize",
      Object.fromEntries(new URLSearchParams(search)),
      own,
    );
    expect(status).toBe(303);
    expect((await pageVisitor(own).open(headers.get("location") ?? "")).heading).toBe(heading.logIn);
  });

  it("fills in the login of the user whom it expects", async () => {
    const { search } = await ask(own, await newApp({}, own), { login_hint: "ada@example.com" });
    expect((await pageVisitor(own).open(`/authorize${search}`)).text).toContain('value="ada@example.com"');
  });

  it.each([
    ["request_not_supported", { request: "eyJhbGciOiJub25lIn0.e30." }],
    ["request_uri_not_supported", { request_uri: "https://app.example.com/request" }],
  ])("is told %s", async (error, parameters) => {
    const { search } = await ask(own, await newApp({}, own), parameters);
    expect(errorAt((await pageVisitor(own).open(`/authorize${search}`)).location)).toBe(error);
  });

  it("gets no id token for other scopes", async () => {
    const [app, user] = await Promise.all([newApp({}, own), newUser({}, own)]);
    const asked = await ask(own, app, { scope: "read:self" });
    const { code = "" } = Object.fromEntries(
      new URL(await agree(pageVisitor(own), asked.search, user)).searchParams,
    );
    const answer = await redeem(app, { code, verifier: asked.checks.pkceCodeVerifier ?? "" }, {}, own);
    expect(answer.body).not.toHaveProperty("id_token");
    const refused = await own.publicApi("GET", "/oauth/userinfo", { token: answer.body.access_token });
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
      403,
      'Bearer error="insufficient_scope", scope="openid"',
    ]);
  });

  it("gets an id token by the operation of client apps, too", async () => {
    const [app, user] = await Promise.all([newApp({}, own), newUser({}, own)]);
    const { verifier, challenge } = pkce();
    const json = {
      ...{ client_id: app.client_id, redirect_uri: app.redirect_url, response_type: "code", state: "s" },
      ...{ scope: "openid", code_challenge: challenge, code_challenge_method: "S256" },
    };
    const allowed = await own.publicApi("POST", "/v8/oauth/authorization/codes", { json, token: user.token });
    const code = redirectQuery(allowed).get("code") ?? "";
    const { body } = await redeem(app, { code, verifier }, {}, own);
    expect(body).toMatchObject({ id_token: expect.any(String), scope: "openid" });
    expect((await refresh(app, body.refresh_token, {}, own)).body).toHaveProperty("id_token");
  });

  it("learns nothing about a suspended user", async () => {
    const { user, tokens } = await signedIn();
    await own.internalApi("PUT", `/i/users/${user.id}/status`, { json: { status: "suspended" } });
    expect(outcome(await own.publicApi("GET", "/oauth/userinfo", { token: tokens.access_token }))).toBe(
      "404 not-found",
    );
  });
});

describe.concurrent("an authorization request for signing in", () => {
  it("is answered without a page for prompt=none, once the person has let the app in", async () => {
    const { app, user, visitor, claims } = await signedIn();
    const asked = await ask(own, app, { prompt: "none", scope: "openid" });
    const { location } = await visitor.open(`/authorize${asked.search}`);
    const again = await tokensOf(asked, location ?? "");
    expect(again.claims()).toMatchObject({ sub: user.id, auth_time: claims?.auth_time });
  });

  it.each<[string, Record<string, string>]>([
    ["another app", {}],
    ["a scope that was not granted", { scope: "openid profile read:self" }],
  ])("is answered with consent_required for prompt=none and %s", async (_, parameters) => {
    const { app, visitor } = await signedIn();
    const asking = "scope" in parameters ? app : await newApp({}, own);
    const { search } = await ask(own, asking, { prompt: "none", ...parameters });
    expect(errorAt((await visitor.open(`/authorize${search}`)).location)).toBe("consent_required");
  });

  it("is answered with consent_required for prompt=none where another program could receive the answer", async () => {
    const { visitor } = await signedIn();
    const app = await newApp({ redirect_url: "http://127.0.0.1:9999/callback" }, own);
    const first = await ask(own, app);
    const location = await agree(visitor, first.search);
    await tokensOf(first, location);
    const { search } = await ask(own, app, { prompt: "none" });
    expect(errorAt((await visitor.open(`/authorize${search}`)).location)).toBe("consent_required");
  });

  it("is answered with login_required for prompt=none where nobody is logged in", async () => {
    const { search } = await ask(own, await newApp({}, own), { prompt: "none" });
    expect(errorAt((await pageVisitor(own).open(`/authorize${search}`)).location)).toBe("login_required");
  });

  it("asks for the password again for prompt=login, once", async () => {
    const { app, user, visitor, claims } = await signedIn(timed);
    timed.advance(10);
    const asked = await ask(timed, app, { prompt: "login" });
    expect((await visitor.open(`/authorize${asked.search}`)).heading).toBe(heading.logIn);
    const again = await tokensOf(asked, await agree(visitor, asked.search, user));
    expect(again.claims()?.auth_time).toBeGreaterThan(Number(claims?.auth_time));
  });

  it("asks for the password again after max_age", async () => {
    const { app, user, visitor } = await signedIn(timed);
    const [young, old] = await Promise.all([
      ask(timed, app, { max_age: "10000" }),
      ask(timed, app, { max_age: "1" }),
    ]);
    timed.advance(5);
    expect((await visitor.open(`/authorize${young.search}`)).heading).toBe(heading.consent);
    expect((await visitor.open(`/authorize${old.search}`)).heading).toBe(heading.logIn);
    const tokens = await tokensOf(old, await agree(visitor, old.search, user));
    expect(tokens.claims()?.auth_time).toBeDefined();
  });

  it.each(["max_age", "prompt"])("cannot be answered by an access token with %s", async (name) => {
    const [app, user] = await Promise.all([newApp({}, own), newUser({}, own)]);
    const { search } = await ask(own, app, { [name]: name === "prompt" ? "login" : "60" });
    const { headers } = await own.publicApi("GET", `/authorize${search}`, { token: user.token });
    expect(errorAt(headers.get("location"))).toBe("login_required");
  });

  it("leads to the login if the id token belongs to another person", async () => {
    const [one, other] = await Promise.all([signedIn(), signedIn()]);
    const hint = (tokens: client.TokenEndpointResponse) => ({ id_token_hint: tokens.id_token ?? "" });
    const [own_, others] = await Promise.all([
      ask(own, one.app, hint(one.tokens)),
      ask(own, one.app, hint(other.tokens)),
    ]);
    expect((await one.visitor.open(`/authorize${own_.search}`)).heading).toBe(heading.consent);
    expect((await one.visitor.open(`/authorize${others.search}`)).heading).toBe(heading.logIn);
  });
});

describe.concurrent("logging out for an app", () => {
  const path = "/authorize/end-session";
  const isLoggedIn = async (visitor: PageVisitor, app: App) => {
    const { search } = await ask(own, app);
    return (await visitor.open(`/authorize${search}`)).heading === heading.consent;
  };

  it("leads back to the app with its state, and ends the session", async () => {
    const { app, visitor, tokens, config } = await signedIn();
    const url = client.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token ?? "",
      post_logout_redirect_uri: app.redirect_url,
      state: "bye",
    });
    const { status, location } = await visitor.open(url.pathname + url.search);
    expect([status, location]).toEqual([302, `${app.redirect_url}?state=bye`]);
    expect(await isLoggedIn(visitor, app)).toBe(false);
    expect((await visitor.open(path)).heading).toBe("You are logged out");
  });

  it("asks for confirmation without an id token, or with another person's", async () => {
    const [{ app, visitor }, other] = await Promise.all([signedIn(), signedIn()]);
    const others = new URLSearchParams({ id_token_hint: other.tokens.id_token ?? "" });
    expect((await visitor.open(`${path}?${others}`)).heading).toBe("Log out?");
    const query = new URLSearchParams({
      client_id: app.client_id,
      post_logout_redirect_uri: app.redirect_url,
    });
    expect((await visitor.open(`${path}?${query}`)).heading).toBe("Log out?");
    expect(await isLoggedIn(visitor, app)).toBe(true);

    await visitor.open(`${path}?${query}`);
    const forged = await visitor.post(`${path}/confirmation?${query}`, {}, { token: "forged" });
    expect(forged.status).toBe(303);
    expect(await isLoggedIn(visitor, app)).toBe(true);

    await visitor.open(`${path}?${query}`);
    const { location } = await visitor.submit(`${path}/confirmation?${query}`);
    expect(location).toBe(app.redirect_url);
    expect(await isLoggedIn(visitor, app)).toBe(false);
  });

  it("may be requested by a form", async () => {
    const { status, headers } = await postForm(path, { state: "bye" }, own);
    expect([status, headers.get("location")]).toEqual([303, `${path}?state=bye`]);
  });

  it("needs no session of the browser", async () => {
    const { app, tokens } = await signedIn();
    const query = new URLSearchParams({
      id_token_hint: tokens.id_token ?? "",
      post_logout_redirect_uri: app.redirect_url,
    });
    expect((await own.publicApi("GET", path)).status).toBe(200);
    const { status, headers } = await own.publicApi("GET", `${path}?${query}`);
    expect([status, headers.get("location")]).toEqual([302, app.redirect_url]);
    const confirmed = await postForm(`${path}/confirmation`, { form_token: "x" }, own);
    expect([confirmed.status, confirmed.headers.get("location")]).toEqual([303, `${path}?`]);
  });

  it("leads to no address that the app has not registered", async () => {
    const { app, tokens } = await signedIn();
    const at = (parameters: Record<string, string>) =>
      own.publicApi("GET", `${path}?${new URLSearchParams(parameters)}`);
    const evil = "https://evil.example.com/";
    const hint = { id_token_hint: tokens.id_token ?? "" };
    const answers = await Promise.all([
      at({ post_logout_redirect_uri: app.redirect_url }),
      at({ ...hint, post_logout_redirect_uri: evil }),
      at({ client_id: app.client_id, post_logout_redirect_uri: evil }),
      at({ ...hint, client_id: randomUUID() }),
      at({ id_token_hint: tokens.access_token }),
      at({ id_token_hint: "forged" }),
    ]);
    expect(answers.map(outcome)).toEqual([
      ...Array(3).fill("400 redirect-url-miss-match"),
      ...Array(3).fill("400 bad-request"),
    ]);
  });
});

describe.concurrent("introspection", () => {
  it("tells an app which of its tokens are valid", async () => {
    const { app, user, tokens, config } = await signedIn();
    const [access, refreshing] = await Promise.all(
      [tokens.access_token, tokens.refresh_token ?? ""].map((token) =>
        client.tokenIntrospection(config, token),
      ),
    );
    const common = { active: true, sub: user.id, client_id: app.client_id, exp: expect.any(Number) };
    expect(access).toMatchObject({ ...common, token_type: "Bearer", scope: "openid profile email" });
    expect(refreshing).toMatchObject(common);
    const { client_id, client_secret } = app;
    const posted = { client_id, client_secret, token: tokens.access_token };
    expect((await postForm("/oauth/introspect", posted, own)).body).toEqual(access);
    await client.tokenRevocation(config, tokens.refresh_token ?? "");
    const dead = [tokens.refresh_token, tokens.id_token, "garbage"];
    for (const token of dead)
      expect(await client.tokenIntrospection(config, token ?? "")).toEqual({ active: false });
  });

  it("reveals nothing about tokens of other apps, or of a suspended user", async () => {
    const [one, other] = await Promise.all([signedIn(), signedIn()]);
    expect(await client.tokenIntrospection(one.config, other.tokens.access_token)).toEqual({ active: false });
    await own.internalApi("PUT", `/i/users/${one.user.id}/status`, { json: { status: "suspended" } });
    expect(await client.tokenIntrospection(one.config, one.tokens.access_token)).toEqual({ active: false });
  });

  it("needs the secret of the app", async () => {
    const { client_id } = await newApp({}, own);
    const fields: Record<string, string>[] = [
      { client_id },
      { client_id, client_secret: "wrong" },
      { client_id: randomUUID(), client_secret: "wrong" },
    ];
    const answers = await Promise.all(
      fields.map((one) => postForm("/oauth/introspect", { token: "token", ...one }, own)),
    );
    expect(answers.map(({ status, body }) => [status, body.error])).toEqual([
      [401, "invalid_client"],
      [403, "invalid_client"],
      [404, "invalid_client"],
    ]);
  });
});

describe.concurrent("signing in, while it is off,", () => {
  it.each([
    ["GET", "/.well-known/openid-configuration"],
    ["GET", "/authorize/end-session"],
  ])("has no %s %s", async (method, path) => {
    expect(outcome(await off.publicApi(method, path))).toBe("403 forbidden");
  });

  it("knows none of its scopes", async () => {
    const app = await newApp({}, off);
    const { search } = await ask(own, app);
    expect(errorAt((await pageVisitor(off).open(`/authorize${search}`)).location)).toBe("invalid_scope");
  });
});
