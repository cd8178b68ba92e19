import { describe, expect, it } from "vitest";
import { api, internalApi } from "../../support/api.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { partsOf } from "../../support/tokens.ts";
import { register } from "../../support/users.ts";

const daySeconds = 86_400;
const secondsUntil = (time: string) => (Date.parse(time) - Date.now()) / 1000;

describe.concurrent("an anonymous account", () => {
  it("needs nothing but a name, and expires after a day", async () => {
    const { status, body, setCookie, cookie } = await register({});

    expect(status).toBe(201);
    expect(body).toMatchObject({ name: "Ada", status: "ephemeral" });
    expect(body).not.toHaveProperty("email");
    expect(Math.abs(secondsUntil(body.expires_at) - daySeconds)).toBeLessThan(30);
    expect(setCookie).toMatch(/^zuid=[^;]+; path=\/access; HttpOnly; Secure$/);
    expect(partsOf(cookie)).toMatchObject({ t: "u", l: "s" });
    expect(Number(partsOf(cookie).d)).toBe(Math.floor(Date.parse(body.expires_at) / 1000));
  });

  it("expires earlier when asked to, but never later", async () => {
    const short = await register({ expires_in: 60 });
    const long = await register({ expires_in: 7 * daySeconds });

    expect(Math.abs(secondsUntil(short.body.expires_at) - 60)).toBeLessThan(30);
    expect(Math.abs(secondsUntil(long.body.expires_at) - daySeconds)).toBeLessThan(30);
  });

  it("gets access tokens with its cookie, which is never renewed", async () => {
    const apis = await stackWith({ setUserCookieRenewAge: 60 });
    const { cookie, body } = await register({}, apis);
    apis.advance(daySeconds - 60);
    const access = await apis.publicApi("POST", "/access", { cookie });

    expect(access).toMatchObject({ status: 200, setCookie: undefined });
    const { token_type, access_token, expires_in } = access.body;
    expect(token_type).toBe("Bearer");
    expect(expires_in).toBeLessThanOrEqual(60);
    const self = await apis.publicApi("GET", "/self", { token: access_token });
    expect(self.body).toEqual(body);
  });

  it("is reported as deleted once it has expired, and its cookie and tokens are refused", async () => {
    const apis = await stackWith();
    const { cookie, body } = await register({ expires_in: 120 }, apis);
    const access = await apis.publicApi("POST", "/access", { cookie });
    apis.advance(121);

    expect((await apis.publicApi("POST", "/access", { cookie })).status).toBe(403);
    expect((await apis.publicApi("GET", "/self", { token: access.body.access_token })).status).toBe(401);
    expect(await statusOf(body.id, apis)).toBe("deleted");
    const self = await apis.internalApi("GET", "/self", { headers: { "Z-User": body.id } });
    expect(self.body).toMatchObject({ id: body.id, deleted: true });
  });

  it("refuses a change of its status with 400 invalid-status", async () => {
    const { body } = await register({});
    const path = `/i/users/${body.id}/status`;
    expect((await internalApi("GET", path)).body).toEqual({ status: "ephemeral" });
    expect(await internalApi("PUT", path, { json: { status: "active" } })).toMatchObject({
      status: 400,
      body: { label: "invalid-status" },
    });
  });

  it("can log out", async () => {
    const { cookie } = await register({});
    const { body } = await api("POST", "/access", { cookie });
    expect((await api("POST", "/access/logout", { cookie, token: body.access_token })).status).toBe(200);
    expect((await api("POST", "/access", { cookie })).status).toBe(403);
  });
});

async function statusOf(id: string, { internalApi: internal }: OwnStack): Promise<string> {
  const { body } = await internal("GET", `/i/users/${id}/status`);
  return body.status;
}
