import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { oauthScopes } from "#shared/registry/oauth-scopes.ts";
import { type ApiAnswer, api, internalApi, outcome } from "../../support/api.ts";
import { connectUsers } from "../../support/connections.ts";
import { qualified } from "../../support/conversations.ts";
import { newApp, newAuthorization, newTokens, postForm, refresh, requestOf } from "../../support/oauth.ts";
import { handshakeStatus } from "../../support/socket.ts";
import { logIn, newUser } from "../../support/users.ts";

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
const outcomesOf = (answers: ApiAnswer[]) => answers.map(outcome).sort();
const times = <Result>(count: number, task: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => task(index)));

describe.concurrent("an app's secret", () => {
  it("has two working values after concurrent replacements, each of which was returned once", async () => {
    const { app, tokens } = await newAuthorization();
    const answers = await times(6, () => internalApi("POST", `/i/oauth/clients/${app.client_id}/secret`));
    const secrets = answers.flatMap(({ status, body }) => (status === 200 ? [body.client_secret] : []));
    let last = tokens.refresh_token;
    const working: string[] = [];
    for (const client_secret of secrets) {
      const { status, body } = await refresh(app, last, { client_secret });
      if (status !== 200) continue;
      working.push(client_secret);
      last = body.refresh_token;
    }
    expect(new Set(secrets).size).toBe(secrets.length);
    expect(working).toHaveLength(2);
  });

  it("is not lost to a concurrent change of the app's name", async () => {
    const { app, tokens } = await newAuthorization();
    const path = `/i/oauth/clients/${app.client_id}`;
    const json = { application_name: "Renamed", redirect_url: app.redirect_url };
    const [{ body }] = await Promise.all([
      internalApi("POST", `${path}/secret`),
      ...Array.from({ length: 8 }, () => internalApi("PUT", path, { json })),
    ]);
    const { client_secret } = body;
    expect(outcome(await refresh(app, tokens.refresh_token, { client_secret }))).toBe("200");
    expect((await internalApi("GET", path)).body.application_name).toBe("Renamed");
  });
});

describe.concurrent("an OAuth token", () => {
  const everyScope = { scope: oauthScopes.join(" ") };

  it("lets an app create groups and one-to-one conversations for its user", async () => {
    const { tokens, user } = await newAuthorization({ scope: "write:conversations" });
    const peer = await newUser();
    await connectUsers(user, peer);
    const { access_token: token } = tokens;
    const group = await api("POST", "/v9/conversations", {
      token,
      json: { qualified_users: qualified(peer) },
    });
    expect([group.status, group.body.members.self.id]).toEqual([201, user.id]);
    const json = { qualified_users: qualified(peer) };
    expect(outcome(await api("POST", "/v9/one2one-conversations", { token, json }))).toBe("200");
  });

  it("does not open a socket, in the header or in the query", async () => {
    const { access_token: token } = (await newAuthorization(everyScope)).tokens;
    for (const path of ["/await", "/v8/events", "/events"]) {
      expect(await handshakeStatus(path, { token })).toBe(403);
      expect(await handshakeStatus(path, { query: { access_token: token } })).toBe(403);
    }
  });

  it("is not accepted at /access, alone or together with the user's cookie", async () => {
    const { user, tokens } = await newAuthorization(everyScope);
    const { access_token: token } = tokens;
    const { cookie } = user;
    expect(outcome(await api("POST", "/access", { token }))).toBe("403 invalid-credentials");
    expect(outcome(await api("POST", "/access", { token, cookie }))).toBe("403 client-error");
    expect(outcome(await api("POST", "/access", { cookie: token }))).toBe("403 client-error");
    expect(outcome(await api("POST", "/access/logout", { token, cookie }))).toBe("403 client-error");
    expect(outcome(await api("POST", "/access", { cookie }))).toBe("200");
  });

  it("cannot consent to more, in the header or in the query", async () => {
    const { app, tokens } = await newAuthorization(everyScope);
    const { access_token: token } = tokens;
    const query = new URLSearchParams(requestOf(app, { scope: oauthScopes.join(" ") }));
    const byHeader = await api("GET", `/authorize?${query}`, { token });
    const byQuery = await api("GET", `/authorize?${query}&access_token=${token}`);
    expect(outcomesOf([byHeader, byQuery])).toEqual(["403 access-denied", "403 access-denied"]);
    expect(byHeader.headers.get("location")).toBeNull();
  });

  it("does not open the internal API from outside", async () => {
    const { app, user, tokens } = await newAuthorization(everyScope);
    const request = { token: tokens.access_token, headers: { "Z-User": user.id } };
    for (const path of [`/i/oauth/clients/${app.client_id}`, `/i/users/${user.id}/status`]) {
      for (const prefix of ["", "/v8", "/i", "/v8/i"]) {
        expect(outcome(await api("GET", prefix + path, request))).toMatch(/^404 /);
      }
    }
  });

  it("stands for its own user, whatever user the request names", async () => {
    const [{ user, tokens }, other] = await Promise.all([newAuthorization(everyScope), newUser()]);
    for (const name of ["Z-User", "z-user", "Z-Connection", "Z-Type"]) {
      const answer = await api("GET", "/self", {
        token: tokens.access_token,
        headers: { [name]: other.id },
      });
      expect(answer.body.id).toBe(user.id);
    }
    expect(outcome(await api("GET", "/self", { headers: { "Z-User": other.id } }))).toBe("401 unauthorized");
  });

  it("is accepted in the query, unless there is one in the header", async () => {
    const { user, tokens } = await newAuthorization(everyScope);
    const query = `?access_token=${tokens.access_token}`;
    expect((await api("GET", `/self${query}`)).body.id).toBe(user.id);
    expect(outcome(await api("GET", `/self${query}`, { token: "forged" }))).toBe("401 unauthorized");
  });

  it("gets the challenge that RFC 6750 requires when it is missing or invalid", async () => {
    const { tokens } = await newAuthorization(everyScope);
    const challenge = async (token?: string) =>
      (await api("GET", "/self", { token })).headers.get("www-authenticate");
    expect(await challenge()).toBe("Bearer");
    expect(await challenge("forged")).toBe('Bearer error="invalid_token"');
    expect(await challenge(tokens.refresh_token)).toBe('Bearer error="invalid_token"');
    expect(await challenge(tokens.access_token)).toBeNull();
  });
});

describe.concurrent("the token endpoint", () => {
  const fields = `grant_type=refresh_token&client_id=${randomUUID()}&refresh_token=x`;

  it.each<[string, string, string, string, Record<string, string>]>([
    ["JSON", "415 unsupported-media-type", "", "{}", { "content-type": "application/json" }],
    ["parameters in the query", "400 bad-request", `?${fields}`, "grant_type=refresh_token", {}],
    ["300 KB", "413 request-too-large", "", `${fields}&x=${"x".repeat(300_000)}`, {}],
  ])("refuses %s with invalid_request", async (_, expected, query, body, headers) => {
    const answer = await api("POST", `/v8/oauth/token${query}`, {
      body,
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    });
    expect(outcome(answer)).toBe(expected);
    expect(answer.body.error).toBe("invalid_request");
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });
});

describe.concurrent("OAuth across versions", () => {
  it("revokes an app at one path per version", async () => {
    const [app, { token, password }] = await Promise.all([newApp(), newUser()]);
    const path = `/oauth/applications/${app.client_id}`;
    const remove = async (target: string, json?: object) =>
      outcome(await api("DELETE", target, { token, json }));

    expect(await remove(path)).toBe("204");
    expect(await remove(`/v6${path}`)).toBe("204");
    expect(await remove(`/v7${path}`)).toBe("404 no-endpoint");
    expect(await remove(`/v6${path}/sessions`, { password })).toBe("404 no-endpoint");
    expect(await remove(`/v7${path}/sessions`, { password })).toBe("204");
    expect(await remove(`${path}/sessions`, { password })).toBe("204");
  });

  it("lists applications with their sessions from version 6 on", async () => {
    const { user } = await newAuthorization();
    const listed = async (prefix: string) =>
      Object.keys((await api("GET", `${prefix}/oauth/applications`, { token: user.token })).body[0]);
    for (const prefix of ["", "/v0", "/v5"]) expect(await listed(prefix)).toEqual(["id", "name"]);
    for (const prefix of ["/v6", "/v8", "/v9"])
      expect(await listed(prefix)).toEqual(["id", "name", "sessions"]);
  });

  it("uses the same grants in every version", async () => {
    const [app, user] = await Promise.all([newApp(), newUser()]);
    const { refresh_token } = await newTokens(app, user);
    const { client_id, client_secret } = app;
    const fields = { grant_type: "refresh_token", client_id, client_secret };
    const { body } = await postForm("/v0/oauth/token", { ...fields, refresh_token });
    const json = { client_id, client_secret, refresh_token: body.refresh_token };
    expect(outcome(await api("POST", "/v4/oauth/revoke", { json }))).toBe("200");
    expect(outcome(await refresh(app, body.refresh_token))).toBe("403 forbidden");
  });
});

describe.concurrent("revoking", () => {
  it("requires a client_id", async () => {
    const json = { refresh_token: "x" };
    expect(outcome(await api("POST", "/v8/oauth/revoke", { json }))).toBe("400 bad-request");
  });

  it("changes nothing for another app's token or with a wrong secret (RFC 7009)", async () => {
    const [{ app, tokens }, other] = await Promise.all([newAuthorization(), newApp()]);
    const token = tokens.refresh_token;
    const hint = { token_type_hint: "access_token" };
    await postForm("/v8/oauth/revoke", { client_id: other.client_id, token, ...hint });
    await postForm("/v8/oauth/revoke", { client_id: app.client_id, token, client_secret: "wrong" });
    const { body } = await refresh(app, token);
    expect(body.refresh_token).toBeDefined();
    await postForm("/v8/oauth/revoke", { client_id: app.client_id, token: body.refresh_token, ...hint });
    expect(outcome(await refresh(app, body.refresh_token))).toBe("403 forbidden");
  });

  it("requires the right password and a well-formed session id", async () => {
    const { app, user, tokens } = await newAuthorization();
    const path = `/v8/oauth/applications/${app.client_id}/sessions`;
    const id = claimsOf(tokens.refresh_token).sub;
    const remove = async (target: string, json?: unknown) =>
      outcome(await api("DELETE", target, { token: user.token, json }));
    for (const target of [path, `${path}/${id}`]) {
      expect(await remove(target, { password: "wrong password" })).toBe("403 access-denied");
      expect(await remove(target, { password: null })).toBe("403 access-denied");
      expect(await remove(target, { password: 7 })).toBe("400 bad-request");
      expect(await remove(target)).toBe("400 bad-request");
    }
    expect(await remove(`${path}/x`, { password: user.password })).toBe("400 bad-request");
    expect(outcome(await logIn(user))).toBe("200");
    expect(outcome(await refresh(app, tokens.refresh_token))).toBe("200");
  });
});
