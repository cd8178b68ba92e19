import { createHash, randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { GrantStore } from "#shared/oauth/grant-store.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { oauthScopes } from "#shared/registry/oauth-scopes.ts";
import { type ApiAnswer, api, internalApi, outcome } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import {
  type App,
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
import { ownStack } from "../../support/own-stack.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { stackConfig } from "../../support/stack-config.ts";
import { logIn, newUser, type User } from "../../support/users.ts";

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
const outcomesOf = (answers: ApiAnswer[]) => answers.map(outcome).sort();
const times = <Result>(count: number, task: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => task(index)));
const self = (token: string) => api("GET", "/self", { token });
const setStatus = ({ id }: Pick<User, "id">, status: string) =>
  internalApi("PUT", `/i/users/${id}/status`, { json: { status } });
const revoke = ({ client_id }: Pick<App, "client_id">, refresh_token: string) =>
  api("POST", "/v8/oauth/revoke", { json: { client_id, refresh_token } });
const applicationsOf = async ({ token }: Pick<User, "token">) =>
  (await api("GET", "/v8/oauth/applications", { token })).body;

describe.concurrent("a user who is logged out everywhere", () => {
  const endAll = ({ token, password }: User) => api("POST", "/cookies/remove", { token, json: { password } });
  const endsSessions: [string, (user: User) => Promise<unknown>][] = [
    ["by removing all cookies", endAll],
    [
      "by another password",
      ({ token, password }) =>
        api("PUT", "/self/password", {
          token,
          json: { old_password: password, new_password: "another horse battery" },
        }),
    ],
    ["by an operator", ({ id }) => internalApi("POST", `/i/users/${id}/logout`)],
  ];

  it.each(endsSessions)("%s lets no app in with an access token that is still valid", async (_, end) => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    await end(user);
    expect(outcome(await self(user.token))).toBe("200");
    const json = requestOf(app);
    const byApi = await api("POST", "/v8/oauth/authorization/codes", { json, token: user.token });
    expect([byApi.status, redirectQuery(byApi).get("error")]).toEqual([403, "access_denied"]);
    const byPage = await api("GET", `/authorize?${new URLSearchParams(json)}`, { token: user.token });
    expect(redirectQuery(byPage).get("error")).toBe("access_denied");
    expect(await applicationsOf(user)).toEqual([]);
  });

  it.each(endsSessions)("%s leaves no code that can be redeemed", async (_, end) => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const code = await newCode(app, user);
    await end(user);
    expect(outcome(await redeem(app, code))).toBe("403 forbidden");
  });

  it("in another session lets apps in with the token of this one", async () => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const { cookie } = await logIn(user, { label: "other" });
    await api("POST", "/cookies/remove", {
      token: user.token,
      json: { password: user.password, labels: ["other"] },
    });
    expect((await api("POST", "/access", { cookie })).status).toBe(403);
    expect(outcome(await redeem(app, await newCode(app, user)))).toBe("200");
  });
});

describe.concurrent("a code", () => {
  it("cannot be redeemed with the challenge of its request", async () => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const { verifier, challenge } = pkce();
    const json = requestOf(app, { challenge });
    const answer = await api("POST", "/v8/oauth/authorization/codes", { json, token: user.token });
    const code = redirectQuery(answer).get("code") ?? "";

    expect(outcome(await redeem(app, { code, verifier: challenge }))).toBe("403 invalid_grant");
    expect(outcome(await redeem(app, { code, verifier }))).toBe("404 not-found");
  });

  it.each([
    ["in capitals", (code: string) => code.toUpperCase()],
    ["with a space", (code: string) => `${code} `],
    ["as its hash", (code: string) => createHash("sha256").update(code).digest("hex")],
    ["cut short", (code: string) => code.slice(0, -1)],
  ])("is not accepted %s", async (_, change) => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const { code, verifier } = await newCode(app, user);
    // A code without letters does not change in capitals.
    const other = change(code) === code ? `${code}a` : change(code);
    expect(outcome(await redeem(app, { code: other, verifier }))).toBe("404 not-found");
    expect(outcome(await redeem(app, { code, verifier }))).toBe("200");
  });

  it("cannot be redeemed with the verifier of another consent", async () => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const [first, second] = await Promise.all([newCode(app, user), newCode(app, user)]);
    const mixed = { code: first.code, verifier: second.verifier };
    expect(outcome(await redeem(app, mixed))).toBe("403 invalid_grant");
    expect(outcome(await redeem(app, second))).toBe("200");
  });

  it("is refused with 403 forbidden once its user is suspended or deleted", async () => {
    const app = await newApp();
    const [suspended, deleted] = await Promise.all([newUser(), newUser()]);
    const [first, second] = await Promise.all([newCode(app, suspended), newCode(app, deleted)]);
    await setStatus(suspended, "suspended");
    await internalApi("DELETE", `/i/users/${deleted.id}`);
    expect(outcome(await redeem(app, first))).toBe("403 forbidden");
    expect(outcome(await redeem(app, second))).toBe("403 forbidden");
  });

  it("is refused with 403 forbidden when the user is suspended after the consent", async () => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const code = await newCode(app, user);
    await setStatus(user, "suspended");
    expect(outcome(await redeem(app, code))).toBe("403 forbidden");
    await setStatus(user, "active");
    expect(await applicationsOf(user)).toEqual([]);
  });

  it("is refused once its app is removed or has another redirect URL", async () => {
    const [gone, moved, user] = await Promise.all([newApp(), newApp(), newUser()]);
    const [first, second] = await Promise.all([newCode(gone, user), newCode(moved, user)]);
    await internalApi("DELETE", `/i/oauth/clients/${gone.client_id}`);
    const redirect_url = "https://moved.example.com/callback";
    const json = { application_name: "Calendar", redirect_url };
    await internalApi("PUT", `/i/oauth/clients/${moved.client_id}`, { json });

    expect(outcome(await redeem(gone, first))).toBe("404 not-found");
    expect(outcome(await redeem(moved, second))).toBe("400 redirect-url-miss-match");
  });
});

describe.concurrent("a redirect URL", () => {
  const registered = "https://app.example.com/callback";
  let app: App;
  let token: string;
  beforeAll(async () => {
    [app, { token }] = await Promise.all([newApp({ redirect_url: registered }), newUser()]);
  });

  it("is refused with 400 redirect-url-miss-match by every operation unless it is the registered one", async () => {
    const redirect_uri = `${registered}/`;
    const json = { ...requestOf(app), redirect_uri };
    const query = new URLSearchParams(json);
    const code = await newCode(app, { token });
    const answers = await Promise.all([
      api("POST", "/v8/oauth/authorization/codes", { json, token }),
      api("GET", `/authorize?${query}`, { token }),
      api("GET", `/authorize?${query}`),
      redeem(app, code, { redirect_uri }),
    ]);
    expect(outcomesOf(answers)).toEqual(Array(4).fill("400 redirect-url-miss-match"));
    expect(answers.map(({ headers }) => headers.get("location"))).toEqual(Array(4).fill(null));
  });

  it("is refused when it is given twice", async () => {
    const query = new URLSearchParams(requestOf(app));
    for (const other of ["https://evil.example/", registered]) {
      const added = new URLSearchParams({ redirect_uri: other });
      for (const both of [`${query}&${added}`, `${added}&${query}`])
        expect(outcome(await api("GET", `/authorize?${both}`, { token }))).toBe("400 bad-request");
    }
  });

  it("never leads to a script for an unknown client_id", async () => {
    const [app, { token }] = await Promise.all([newApp(), newUser()]);
    for (const redirect_uri of ["javascript:alert(1)", "JavaScript:alert(1)", " \tjava\nscript:alert(1)"]) {
      const json = { ...requestOf(app), client_id: randomUUID(), redirect_uri };
      const answer = await api("POST", "/v8/oauth/authorization/codes", { json, token });
      expect(answer.status).toBe(404);
      expect(answer.headers.get("location")).toBeNull();
    }
  });

  it("receives code, state and issuer, and nothing else", async () => {
    const state = "a&code=evil#x\r\nSet-Cookie: y=z";
    const answer = await api("POST", "/v8/oauth/authorization/codes", {
      json: requestOf(app, { state }),
      token,
    });
    const query = redirectQuery(answer);
    expect([...query.keys()]).toEqual(["code", "state", "iss"]);
    expect(query.get("state")).toBe(state);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });
});

describe.concurrent("an authorization request", () => {
  it("that has its state twice is refused by redirect without one (RFC 6749 §3.1)", async () => {
    const [app, { token }] = await Promise.all([newApp(), newUser()]);
    const query = new URLSearchParams({ state: "once", ...requestOf(app) });
    query.append("state", "again");
    const answer = redirectQuery(await api("GET", `/authorize?${query}`, { token }));
    expect([answer.get("error"), answer.getAll("state")]).toEqual(["invalid_request", []]);
    expect(answer.get("error_description")).toContain("state");
  });

  it("that names its app twice is refused with 400 bad-request", async () => {
    const app = await newApp();
    const query = new URLSearchParams(requestOf(app));
    query.append("client_id", app.client_id);
    expect(outcome(await api("GET", `/authorize?${query}`))).toBe("400 bad-request");
  });
});

describe.concurrent("scopes", () => {
  it("do not grow when a code is redeemed or a token refreshed", async () => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const scope = oauthScopes.join(" ");
    const { body: first } = await redeem(app, await newCode(app, user), { scope });
    const { body: second } = await refresh(app, first.refresh_token, { scope });
    const fields = { grant_type: "refresh_token", client_id: app.client_id };
    const query = `?${new URLSearchParams({ scope })}`;
    const { body: third } = await postForm(`/v8/oauth/token${query}`, {
      ...fields,
      refresh_token: second.refresh_token,
    });
    expect([first, second, third].map((tokens) => claimsOf(tokens.access_token).scope)).toEqual(
      Array(3).fill("read:self"),
    );
    expect([first, second, third].map((tokens) => tokens.scope)).toEqual([
      "read:self",
      "read:self",
      undefined,
    ]);
  });

  it("are stated in the answer when they differ from what the app asks for", async () => {
    const scope = "write:conversations read:self";
    const { app, tokens } = await newAuthorization({ scope });
    expect(tokens).not.toHaveProperty("scope");
    const answers = ["read:self", "read:self  write:conversations", " "];
    const told: unknown[] = [];
    for (let token = tokens.refresh_token; answers.length > 0; ) {
      const { body } = await refresh(app, token, { scope: answers.shift() ?? "" });
      told.push(body.scope);
      token = body.refresh_token;
    }
    expect(told).toEqual([scope, undefined, scope]);
  });

  it("cannot be claimed by the request itself", async () => {
    const { tokens } = await newAuthorization({ scope: "write:conversations" });
    const { access_token: token } = tokens;
    const answer = await api("GET", "/self?scope=read:self", { token, headers: { scope: "read:self" } });
    expect(outcome(answer)).toBe("403 access-denied");
    expect(answer.body.message).toBe("The token lacks the scope read:self");
    expect(answer.headers.get("www-authenticate")).toBe(
      'Bearer error="insufficient_scope", scope="read:self"',
    );
  });
});

describe.concurrent("a refresh token", () => {
  it("is used only once when it is refreshed and revoked concurrently", async () => {
    const { app, tokens } = await newAuthorization();
    const token = tokens.refresh_token;
    const [refreshed, revoked] = await Promise.all([
      times(10, () => refresh(app, token)),
      times(10, () => revoke(app, token)),
    ]);
    const winners = [...refreshed, ...revoked].filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    const next = refreshed.find(({ status }) => status === 200)?.body.refresh_token;
    if (next !== undefined) expect(outcome(await refresh(app, next))).toBe("200");
  });

  it("stops working when the user removes the app concurrently", async () => {
    const { app, user, tokens } = await newAuthorization();
    const path = `/v8/oauth/applications/${app.client_id}/sessions`;
    const json = { password: user.password };
    const removing = api("DELETE", path, { token: user.token, json });
    let last = tokens.refresh_token;
    for (;;) {
      const { status, body } = await refresh(app, last);
      if (status !== 200) break;
      last = body.refresh_token;
    }
    expect(outcome(await removing)).toBe("204");
    expect(outcome(await refresh(app, last))).toBe("403 forbidden");
    expect(await applicationsOf(user)).toEqual([]);
  });

  it("is refused only while its user is suspended", async () => {
    const { app, user, tokens } = await newAuthorization();
    await setStatus(user, "suspended");
    expect(outcomesOf(await times(3, () => refresh(app, tokens.refresh_token)))).toEqual(
      Array(3).fill("403 forbidden"),
    );
    await setStatus(user, "active");
    expect(outcome(await refresh(app, tokens.refresh_token))).toBe("200");
  });

  it("is refused immediately for a deleted user, whose grants are erased", async () => {
    const { app, user, tokens } = await newAuthorization();
    const grants = new GrantStore({ dynamo: createDynamo(), config: stackConfig("test"), clock: Date.now });
    expect(Object.keys((await grants.ofUser(user.id)).grants)).toHaveLength(1);
    await api("DELETE", "/self", { token: user.token, json: { password: user.password } });
    expect(outcome(await refresh(app, tokens.refresh_token))).toBe("403 forbidden");
    const isErased = async () => expect((await grants.ofUser(user.id)).grants).toEqual({});
    await eventually(isErased);
    expect(outcome(await refresh(app, tokens.refresh_token))).toBe("403 forbidden");
  });

  it("survives a password change and a password reset", async () => {
    const { app, user, tokens } = await newAuthorization();
    const json = { old_password: user.password, new_password: "another password" };
    expect(outcome(await api("PUT", "/self/password", { token: user.token, json }))).toBe("200");
    const changed = await refresh(app, tokens.refresh_token);
    await api("POST", "/password-reset", { json: { email: user.email } });
    const query = new URLSearchParams({ email: user.email });
    const { body: pending } = await internalApi("GET", `/i/users/password-reset-code?${query}`);
    const reset = await api("POST", "/password-reset/complete", {
      json: { ...pending, password: "a third password" },
    });
    expect(outcomesOf([changed, reset, await refresh(app, changed.body.refresh_token)])).toEqual(
      Array(3).fill("200"),
    );
  });

  it("cannot be replaced by any other token that we sign", async () => {
    const { app, user, tokens } = await newAuthorization();
    const page = await api("GET", `/authorize?${new URLSearchParams(requestOf(app))}`);
    const session = /^authorize-session=([^;]*)/.exec(page.setCookie ?? "")?.[1] ?? "";
    expect(session).not.toBe("");
    for (const candidate of [tokens.access_token, user.token, user.cookie, session]) {
      expect(outcome(await refresh(app, candidate))).toBe("403 forbidden");
      expect(outcome(await revoke(app, candidate))).toBe("403 forbidden");
    }
    expect(outcome(await self(session))).toBe("401 unauthorized");
    expect(outcome(await refresh(app, tokens.refresh_token))).toBe("200");
  });

  it("is refused by another server, as is its access token", async () => {
    const server = await ownStack();
    const [app, other] = await Promise.all([newApp(), newAuthorization({}, server)]);
    expect(outcome(await refresh(app, other.tokens.refresh_token))).toBe("403 forbidden");
    expect(outcome(await self(other.tokens.access_token))).toBe("401 unauthorized");
  });

  it("is refused with 400 bad-request without the secret that the version requires, whatever else is wrong", async () => {
    const fields = { grant_type: "refresh_token", client_id: randomUUID(), refresh_token: "forged" };
    for (const path of ["/oauth/token", "/v0/oauth/token", "/v4/oauth/token"]) {
      expect(outcome(await postForm(path, fields))).toBe("400 bad-request");
      expect(outcome(await postForm(path, { ...fields, client_secret: "" }))).toBe("400 bad-request");
      expect(outcome(await postForm(path, { ...fields, client_secret: "x" }))).toBe("403 forbidden");
    }
    const { app, tokens } = await newAuthorization();
    const { client_id } = app;
    const { refresh_token } = tokens;
    const form = { grant_type: "refresh_token", client_id, refresh_token, client_secret: "" };
    expect(outcome(await postForm("/v5/oauth/token", form))).toBe("200");
  });
});

it("the published metadata ignores the Host header, and contains public keys only", async () => {
  const [metadata, keys] = await Promise.all([
    fetch(`${sharedStack().publicUrl}/.well-known/oauth-authorization-server`, {
      headers: { host: "evil.example", "x-forwarded-host": "evil.example" },
    }),
    fetch(`${sharedStack().publicUrl}/oauth/jwks`),
  ]);
  expect(await metadata.text()).not.toContain("evil.example");
  const { keys: published } = (await keys.json()) as { keys: object[] };
  for (const key of published) {
    expect(Object.keys(key).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x"]);
  }
});
