import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import {
  newApp,
  newAuthorization,
  newCode,
  newTokens,
  redeem,
  refresh,
  requestOf,
} from "../../support/oauth.ts";
import { newUser } from "../../support/users.ts";

const decode = (part: string | undefined) => JSON.parse(Buffer.from(part ?? "", "base64url").toString());
const claimsOf = (token: string) => decode(token.split(".")[1]);
const outcomesOf = (answers: { status: number; body: unknown }[]) => answers.map(outcome).sort();

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

  it("on a device are redirected to the device's own address", async () => {
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
