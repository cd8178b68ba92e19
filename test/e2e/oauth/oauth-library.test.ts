import { randomUUID } from "node:crypto";
import * as oauth from "oauth4webapi";
import { beforeAll, describe, expect, it } from "vitest";
import { type App, decideOnPages, expiredCode, newApp, requestOf } from "../../support/oauth.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { newUser, type User } from "../../support/users.ts";
import { type Failure, type FailureWords, failures } from "./libraries/failures.ts";

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

/** The state that an app keeps between its request and the response. */
interface StartedGrant {
  readonly app: App;
  readonly client: oauth.Client;
  readonly url: URL;
  readonly verifier: string | typeof oauth.nopkce;
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

const decide = async ({ url }: StartedGrant, user: User, decision: "allow" | "deny") =>
  new URL(await decideOnPages(url, user, decision));

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
    async function allowed() {
      const [app, user] = await Promise.all([newApp(), newUser()]);
      const started = await startGrant(app);
      return { app, user, started, answer: await answerTo(started.url, user) };
    }
    const answerTo = async (url: URL, { token }: Pick<User, "token">) => {
      const answered = await fetch(url, {
        headers: { authorization: `Bearer ${token}` },
        redirect: "manual",
      });
      return new URL(answered.headers.get("location") ?? "");
    };
    const redeemWith = async (change: Partial<StartedGrant>, authentication?: oauth.ClientAuth) => {
      const { started, answer } = await allowed();
      return tokensFor({ ...started, ...change }, answer, authentication);
    };
    /** Asks for consent with other parameters, and reads the response. */
    const askWith = async (parameters: Record<string, string>) => {
      const [app, user] = await Promise.all([newApp(), newUser()]);
      const { client, state, url } = await startGrant(app);
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return oauth.validateAuthResponse(server, client, await answerTo(url, user), state);
    };

    const attempts: Record<Failure, () => Promise<unknown>> = {
      "unknown-code": async () => {
        const { started, answer } = await allowed();
        answer.searchParams.set("code", "unknown");
        return tokensFor(started, answer);
      },
      "used-code": async () => {
        const { started, answer } = await allowed();
        await tokensFor(started, answer);
        return tokensFor(started, answer);
      },
      "expired-code": async () => {
        const { app, user, started, answer } = await allowed();
        const { code, verifier } = await expiredCode(app, user);
        answer.searchParams.set("code", code);
        return tokensFor({ ...started, verifier }, answer);
      },
      "other-redirect-url": async () => {
        const { app, started, answer } = await allowed();
        const other = { ...app, redirect_url: "https://other.example.com/" };
        return tokensFor({ ...started, app: other }, answer);
      },
      "wrong-verifier": () => redeemWith({ verifier: oauth.generateRandomCodeVerifier() }),
      "missing-verifier": () => redeemWith({ verifier: oauth.nopkce }),
      "unknown-app": () => redeemWith({ client: { client_id: randomUUID() } }),
      "wrong-secret": () => redeemWith({}, oauth.ClientSecretPost("wrong")),
      "wrong-secret-by-basic": () => redeemWith({}, oauth.ClientSecretBasic("wrong")),
      "malformed-basic": () =>
        redeemWith({}, (_server, _client, _body, headers) => headers.set("authorization", "Basic !")),
      "unsupported-grant-type": async () => {
        const { client } = await startGrant(await newApp());
        const asked = oauth.clientCredentialsGrantRequest(server, client, oauth.None(), {}, insecure);
        return oauth.processClientCredentialsResponse(server, client, await asked);
      },
      "used-refresh-token": async () => {
        const { started, answer } = await allowed();
        const { refresh_token } = await tokensFor(started, answer);
        await refreshTokens(started, refresh_token);
        return refreshTokens(started, refresh_token);
      },
      "revoked-refresh-token": async () => {
        const { started, answer } = await allowed();
        const { refresh_token } = await tokensFor(started, answer);
        await revoke(started, refresh_token);
        return refreshTokens(started, refresh_token);
      },
      "unknown-scope": () => askWith({ scope: "everything" }),
      "plain-challenge": () => askWith({ code_challenge_method: "plain" }),
      "denied-consent": async () => {
        const [app, user] = await Promise.all([newApp(), newUser()]);
        const started = await startGrant(app);
        const answer = await decide(started, user, "deny");
        return oauth.validateAuthResponse(server, started.client, answer, started.state);
      },
    };

    it.each(Object.keys(failures) as Failure[])("of the failure %s", async (name) => {
      const told: unknown = await attempts[name]().catch((error: unknown) => error);
      const { when: _, ...expected }: FailureWords = failures[name];
      // The library reads the challenge of HTTP before the body, which it leaves to the app.
      if (told instanceof oauth.WWWAuthenticateChallengeError) {
        expect(told.cause).toMatchObject([{ scheme: "basic" }]);
        expect({ ...(await told.response.json()), status: told.status }).toMatchObject(expected);
      } else if (expected.status === undefined) {
        expect(told).toBeInstanceOf(oauth.AuthorizationResponseError);
        expect(told).toMatchObject(expected);
      } else {
        expect(told).toBeInstanceOf(oauth.ResponseBodyError);
        expect(told).toMatchObject(expected);
      }
    });

    const refused = (error: string, status: number) =>
      expect.objectContaining({ name: "ResponseBodyError", error, status });

    it("of a malformed code verifier", async () => {
      await expect(redeemWith({ verifier: "short" })).rejects.toThrow(refused("invalid_request", 400));
    });

    it("of another app's code", async () => {
      const [{ started }, { answer }] = await Promise.all([allowed(), allowed()]);
      answer.searchParams.set("state", started.state);
      await expect(tokensFor(started, answer)).rejects.toThrow(refused("invalid_grant", 403));
    });

    it("of a forged refresh token", async () => {
      const { started } = await allowed();
      await expect(refreshTokens(started, "forged")).rejects.toThrow(refused("invalid_grant", 403));
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
