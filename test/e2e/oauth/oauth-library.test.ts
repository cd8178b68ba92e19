import { randomUUID } from "node:crypto";
import * as oauth from "oauth4webapi";
import { beforeAll, describe, expect, it } from "vitest";
import { type App, newApp, requestOf } from "../../support/oauth.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { newUser, type User } from "../../support/users.ts";

/** A client library that knows only the address of this service goes through the whole life cycle of a grant. */

/** The stack under test speaks plain HTTP. */
const insecure = { [oauth.allowInsecureRequests]: true };
const publicUrl = () => sharedStack().publicUrl;
let server: oauth.AuthorizationServer;

beforeAll(async () => {
  const issuer = new URL(publicUrl());
  const response = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure });
  server = await oauth.processDiscoveryResponse(issuer, response);
});

/** What an app remembers between its request and the response. */
interface StartedGrant {
  readonly app: App;
  readonly client: oauth.Client;
  readonly url: URL;
  readonly verifier: string;
  readonly state: string;
}

async function startGrant(app: App): Promise<StartedGrant> {
  const verifier = oauth.generateRandomCodeVerifier();
  const challenge = await oauth.calculatePKCECodeChallenge(verifier);
  const state = oauth.generateRandomState();
  const url = new URL(server.authorization_endpoint ?? "");
  url.search = new URLSearchParams(requestOf(app, { challenge, state })).toString();
  return { app, client: { client_id: app.client_id }, url, verifier, state };
}

/** A browser with one page open. */
class Browser {
  readonly #cookies = new Map<string, string>();
  #page = "";

  /** @returns the target of the last redirect, unless that is this service */
  async open(url: string | URL, init: RequestInit = {}): Promise<URL | undefined> {
    const cookie = [...this.#cookies].map((pair) => pair.join("=")).join("; ");
    const headers = { accept: "text/html", cookie, ...init.headers };
    const response = await fetch(url, { redirect: "manual", ...init, headers });
    for (const setCookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(setCookie) ?? [];
      this.#cookies.set(name, value);
    }
    this.#page = await response.text();
    const location = response.headers.get("location");
    if (location === null) return undefined;
    const target = new URL(location, url);
    return target.origin === publicUrl() ? this.open(target) : target;
  }

  /** Fills in the form that leads to a path, and submits it. */
  submit(path: string, fields: Record<string, string>): Promise<URL | undefined> {
    const [, action = "", inputs = ""] =
      new RegExp(`action="(${path}\\?[^"]*)">(.*?)</form>`, "s").exec(this.#page) ?? [];
    const [, formToken = ""] = /name="form_token" value="([^"]*)"/.exec(inputs) ?? [];
    const target = action.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
    const body = new URLSearchParams({ form_token: formToken, ...fields });
    return this.open(publicUrl() + target, { method: "POST", body });
  }
}

/** Logs in and decides, as a user would. */
async function decide(
  { url }: StartedGrant,
  { email, password }: User,
  decision: "allow" | "deny",
): Promise<URL> {
  const browser = new Browser();
  await browser.open(url);
  await browser.submit("/authorize/login", { identity: email, password });
  const target = await browser.submit("/authorize/decision", { decision });
  if (target === undefined) throw new Error("The pages led nowhere");
  return target;
}

/** Redeems the response that came to the redirect URL. */
async function tokensFor(
  { app, client, verifier, state }: StartedGrant,
  answer: URL,
  authentication: oauth.ClientAuth = oauth.None(),
): Promise<oauth.TokenEndpointResponse> {
  const parameters = oauth.validateAuthResponse(server, client, answer, state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    parameters,
    app.redirect_url,
    verifier,
    insecure,
  );
  return oauth.processAuthorizationCodeResponse(server, client, response);
}

const self = (token: string) =>
  oauth.protectedResourceRequest(token, "GET", new URL("/self", publicUrl()), undefined, undefined, insecure);

async function refreshTokens(
  { client }: StartedGrant,
  refreshToken = "",
  authentication: oauth.ClientAuth = oauth.None(),
): Promise<oauth.TokenEndpointResponse> {
  const response = await oauth.refreshTokenGrantRequest(
    server,
    client,
    authentication,
    refreshToken,
    insecure,
  );
  return oauth.processRefreshTokenResponse(server, client, response);
}

async function revoke({ client }: StartedGrant, token = "", authentication: oauth.ClientAuth = oauth.None()) {
  const response = await oauth.revocationRequest(server, client, authentication, token, insecure);
  await oauth.processRevocationResponse(response);
}

describe.concurrent("an OAuth client library", () => {
  it("discovers a server whose issuer is the public address (RFC 8414)", () => {
    expect(server.issuer).toBe(publicUrl());
    for (const endpoint of ["authorization_endpoint", "token_endpoint", "revocation_endpoint", "jwks_uri"]) {
      expect(new URL(String(server[endpoint])).origin).toBe(publicUrl());
    }
    expect(server).toMatchObject({
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      grant_types_supported: ["authorization_code", "refresh_token"],
    });
  });

  it("finds the metadata as JSON, and at the root only", async () => {
    const path = "/.well-known/oauth-authorization-server";
    const [found, below] = await Promise.all([
      fetch(`${publicUrl()}${path}`),
      fetch(`${publicUrl()}${path}/parley`),
    ]);
    expect(found.headers.get("content-type")).toMatch(/^application\/json/);
    expect(below.status).toBe(404);
  });

  it("gets tokens through the pages, and uses, refreshes and revokes them, without a secret", async () => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const started = await startGrant(app);
    const tokens = await tokensFor(started, await decide(started, user, "allow"));
    expect(await (await self(tokens.access_token)).json()).toMatchObject({ id: user.id });

    const next = await refreshTokens(started, tokens.refresh_token);
    expect(next).toMatchObject({ token_type: "bearer", expires_in: 300 });
    expect((await self(next.access_token)).status).toBe(200);

    await revoke(started, next.refresh_token);
    await expect(refreshTokens(started, next.refresh_token)).rejects.toThrow();
  });

  it("does the same with the secret in the body", async () => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const secret = oauth.ClientSecretPost(app.client_secret);
    const started = await startGrant(app);
    const tokens = await tokensFor(started, await decide(started, user, "allow"), secret);
    const next = await refreshTokens(started, tokens.refresh_token, secret);
    await revoke(started, next.refresh_token, secret);
    await expect(refreshTokens(started, next.refresh_token, secret)).rejects.toThrow();
  });

  it("does the same with the secret by HTTP Basic", async () => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const secret = oauth.ClientSecretBasic(app.client_secret);
    const started = await startGrant(app);
    const tokens = await tokensFor(started, await decide(started, user, "allow"), secret);
    const next = await refreshTokens(started, tokens.refresh_token, secret);
    await revoke(started, next.refresh_token, secret);
    await expect(refreshTokens(started, next.refresh_token, secret)).rejects.toThrow();
  });

  it("accepts the response to a request with an access token", async () => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const started = await startGrant(app);
    const headers = { authorization: `Bearer ${user.token}` };
    const { status, headers: answered } = await fetch(started.url, { headers, redirect: "manual" });

    expect(status).toBe(302);
    const tokens = await tokensFor(started, new URL(answered.get("location") ?? ""));
    expect((await self(tokens.access_token)).status).toBe(200);
  });

  it("learns that the user refused", async () => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const started = await startGrant(app);
    const { client, state } = started;
    const answer = await decide(started, user, "deny");
    expect(() => oauth.validateAuthResponse(server, client, answer, state)).toThrow(
      expect.objectContaining({ error: "access_denied" }),
    );
  });

  it("learns which server has refused a request to the JSON endpoint (RFC 9207)", async () => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const { client, state, url } = await startGrant(app);
    const body = { ...Object.fromEntries(url.searchParams), response_type: "token" };
    const headers = { authorization: `Bearer ${user.token}`, "content-type": "application/json" };
    const codes = `${publicUrl()}/v8/oauth/authorization/codes`;
    const response = await fetch(codes, { method: "POST", headers, body: JSON.stringify(body) });
    const answer = new URL(response.headers.get("location") ?? "");
    expect(() => oauth.validateAuthResponse(server, client, answer, state)).toThrow(
      expect.objectContaining({ error: "access_denied" }),
    );
  });

  describe.concurrent("learns in the words of RFC 6749", () => {
    /** A grant, allowed by token, whose response has not been redeemed. */
    async function allowed(redirect_url?: string) {
      const [app, user] = await Promise.all([newApp(redirect_url ? { redirect_url } : {}), newUser()]);
      const started = await startGrant(app);
      const headers = { authorization: `Bearer ${user.token}` };
      const answered = await fetch(started.url, { headers, redirect: "manual" });
      return { app, started, answer: new URL(answered.headers.get("location") ?? "") };
    }
    const refused = (error: string, status: number) =>
      expect.objectContaining({ name: "ResponseBodyError", error, status });

    it("of a code that was redeemed before", async () => {
      const { started, answer } = await allowed();
      await tokensFor(started, answer);
      await expect(tokensFor(started, answer)).rejects.toThrow(refused("invalid_grant", 404));
    });

    it("of a wrong code verifier", async () => {
      const { started, answer } = await allowed();
      const wrong = { ...started, verifier: oauth.generateRandomCodeVerifier() };
      await expect(tokensFor(wrong, answer)).rejects.toThrow(refused("invalid_grant", 403));
    });

    it("of a malformed code verifier", async () => {
      const { started, answer } = await allowed();
      const wrong = tokensFor({ ...started, verifier: "short" }, answer);
      await expect(wrong).rejects.toThrow(refused("invalid_request", 400));
    });

    it("of another redirect URL", async () => {
      const { app, started, answer } = await allowed();
      const wrong = { ...started, app: { ...app, redirect_url: "https://other.example.com/" } };
      await expect(tokensFor(wrong, answer)).rejects.toThrow(refused("invalid_grant", 400));
    });

    it("of another app's code", async () => {
      const [{ started }, { answer }] = await Promise.all([allowed(), allowed()]);
      answer.searchParams.set("state", started.state);
      await expect(tokensFor(started, answer)).rejects.toThrow(refused("invalid_grant", 403));
    });

    it("of an unknown app", async () => {
      const { started, answer } = await allowed();
      const unknown = { ...started, client: { client_id: randomUUID() } };
      await expect(tokensFor(unknown, answer)).rejects.toThrow(refused("invalid_client", 404));
    });

    it("of a wrong secret in the body", async () => {
      const { started, answer } = await allowed();
      const wrong = tokensFor(started, answer, oauth.ClientSecretPost("wrong"));
      await expect(wrong).rejects.toThrow(refused("invalid_client", 403));
    });

    it("of a wrong secret by HTTP Basic, with the challenge of HTTP", async () => {
      const { started, answer } = await allowed();
      const wrong = tokensFor(started, answer, oauth.ClientSecretBasic("wrong"));
      await expect(wrong).rejects.toThrow(
        expect.objectContaining({ status: 401, cause: [expect.objectContaining({ scheme: "basic" })] }),
      );
    });

    it("of a forged refresh token", async () => {
      const { started } = await allowed();
      await expect(refreshTokens(started, "forged")).rejects.toThrow(refused("invalid_grant", 403));
    });

    it("of another grant type", async () => {
      const { started } = await allowed();
      const asked = oauth.clientCredentialsGrantRequest(server, started.client, oauth.None(), {}, insecure);
      const answered = oauth.processClientCredentialsResponse(server, started.client, await asked);
      await expect(answered).rejects.toThrow(refused("unsupported_grant_type", 403));
    });

    it("of a wrong secret when it revokes", async () => {
      const { started, answer } = await allowed();
      const tokens = await tokensFor(started, answer);
      const wrong = revoke(started, tokens.refresh_token, oauth.ClientSecretPost("wrong"));
      await expect(wrong).rejects.toThrow(refused("invalid_client", 403));
    });
  });

  it.each([
    ["the state of another request", "state", "other"],
    ["the issuer of another server", "iss", "https://evil.example.com"],
    ["no issuer", "iss", ""],
  ])("refuses a response with %s", async (_, name, value) => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const started = await startGrant(app);
    const answer = await decide(started, user, "allow");
    if (value === "") answer.searchParams.delete(name);
    else answer.searchParams.set(name, value);
    await expect(tokensFor(started, answer)).rejects.toThrow(oauth.OperationProcessingError);
  });
});
