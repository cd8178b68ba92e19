import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type Api, api } from "../../support/api.ts";
import { stackWith } from "../../support/stack-with.ts";
import { botsToken, cookieIdOf, partsOf, providersToken, signedToken } from "../../support/tokens.ts";
import { logIn, newUser } from "../../support/users.ts";

const daySeconds = 86_400;
const refused = (message: string, label = "invalid-credentials") => ({
  status: 403,
  body: { code: 403, label, message },
});
const forged = (token: string) => token.replace(/^./, (first) => (first === "A" ? "B" : "A"));
const pastSeconds = Math.floor(Date.now() / 1000) - 60;

describe.concurrent("POST /access", () => {
  it("returns a new access token for a cookie, and no new cookie while that one is young", async () => {
    const { cookie, id, token } = await newUser();
    const { status, body, setCookie } = await api("POST", "/access", { cookie });

    expect({ status, setCookie }).toEqual({ status: 200, setCookie: undefined });
    expect(body).toEqual({
      user: id,
      access_token: expect.any(String),
      token_type: "Bearer",
      expires_in: 900,
    });
    expect(body.access_token).not.toBe(token);
    expect((await api("GET", "/self", { token: body.access_token })).status).toBe(200);
  });

  it.each(["/access", "/v0/access", "/v8/access"])(
    "is served as %s, even with a content type and an empty body",
    async (path) => {
      const { cookie } = await newUser();
      const headers = { "content-type": "application/json" };
      expect((await api("POST", path, { cookie, headers })).status).toBe(200);
    },
  );

  it("keeps the connection of the bearer token, even of an expired one, and otherwise creates one", async () => {
    const { cookie, token, id } = await newUser();
    const connectionOf = async (bearer: string | undefined) => {
      const { body } = await api("POST", "/access", { cookie, token: bearer });
      return partsOf(body.access_token).c;
    };
    const expired = await signedToken({
      userId: id,
      connectionId: "18446744073709551615",
      expiresAtSeconds: pastSeconds,
    });

    expect(await connectionOf(token)).toBe(partsOf(token).c);
    expect(await connectionOf(expired)).toBe("18446744073709551615");
    const [one, other] = [await connectionOf(undefined), await connectionOf(undefined)];
    expect(one).toMatch(/^\d+$/);
    expect(one).not.toBe(other);
  });

  it("refuses a request without a cookie, and says whether the token is missing, too", async () => {
    const { token } = await newUser();
    expect(await api("POST", "/access")).toMatchObject(refused("Missing cookie and token"));
    expect(await api("POST", "/access", { token })).toMatchObject(refused("Missing cookie"));
  });

  it("refuses a malformed cookie with 403 client-error", async () => {
    for (const cookie of ["", "garbage", "a.b.c", `${"x".repeat(88)}.v=1`]) {
      expect(await api("POST", "/access", { cookie })).toMatchObject({
        status: 403,
        body: { label: "client-error" },
      });
    }
  });

  it("refuses a forged, expired or unknown cookie, and other tokens in its place", async () => {
    const { cookie, token, id } = await newUser();
    const cookieId = cookieIdOf(cookie);
    const expired = await signedToken({
      type: "cookie",
      userId: id,
      cookieId,
      expiresAtSeconds: pastSeconds,
    });
    const unknown = await signedToken({ type: "cookie", userId: id, cookieId: (cookieId + 1) % 2 ** 32 });
    const legalHold = await signedToken({ type: "legalhold-cookie", userId: id, cookieId });

    expect(await api("POST", "/access", { cookie: forged(cookie) })).toMatchObject(refused("Invalid token"));
    expect(await api("POST", "/access", { cookie: expired })).toMatchObject(refused("Token expired"));
    for (const other of [unknown, token, legalHold]) {
      expect(await api("POST", "/access", { cookie: other })).toMatchObject(refused("Invalid token"));
    }
    expect((await api("POST", "/access", { cookie })).status).toBe(200);
  });

  it("refuses tokens of providers and bots, in place of a cookie and together with one", async () => {
    const { cookie } = await newUser();
    for (const other of [await providersToken(), await botsToken()]) {
      expect(await api("POST", "/access", { cookie: other })).toMatchObject(refused("Invalid token"));
      expect(await api("POST", "/access", { cookie, token: other })).toMatchObject(refused("Invalid token"));
      const loggedOut = await api("POST", "/access/logout", { cookie, token: other });
      expect(loggedOut).toMatchObject(refused("Invalid token"));
    }
  });

  it("refuses a cookie whose user, id, expiry or type was changed", async () => {
    const [{ cookie, id }, other] = await Promise.all([newUser(), newUser()]);
    const changes: [string, string][] = [
      [id, other.id],
      [/r=\w+/.exec(cookie)?.[0] ?? "", "r=1"],
      [/d=\d+/.exec(cookie)?.[0] ?? "", "d=9999999999"],
      [".t=u", ".t=a"],
      [".l=", ".l=s"],
    ];
    for (const [from, to] of changes) {
      const changed = cookie.replace(from, to);
      expect(changed).not.toBe(cookie);
      expect(await api("POST", "/access", { cookie: changed })).toMatchObject(refused("Invalid token"));
    }
  });

  it("accepts the first valid one of several cookies", async () => {
    const { cookie, id } = await newUser();
    const headers = { cookie: `zuid=garbage; other=1; zuid=${forged(cookie)}; zuid=${cookie}` };

    expect((await api("POST", "/access", { headers })).body.user).toBe(id);
  });

  it("refuses a bearer token that is malformed, forged, a cookie, or somebody else's", async () => {
    const [{ cookie, token }, other] = await Promise.all([newUser(), newUser()]);
    const request = (bearer: string) => api("POST", "/access", { cookie, token: bearer });

    expect(await request("garbage")).toMatchObject({ status: 403 });
    for (const bearer of [forged(token), cookie, other.token]) {
      expect(await request(bearer)).toMatchObject({ status: 403, body: { label: "invalid-credentials" } });
    }
  });

  it("refuses a legal-hold token together with a normal cookie", async () => {
    const { cookie, id } = await newUser();
    const token = await signedToken({ type: "legalhold-access", userId: id });
    expect(await api("POST", "/access", { cookie, token })).toMatchObject({
      status: 403,
      body: { label: "invalid-credentials" },
    });
  });

  it("refuses a device that the user does not have with 403 unknown-client", async () => {
    const { cookie } = await newUser();
    expect(await api("POST", "/access?client_id=deadbeef", { cookie })).toMatchObject({
      status: 403,
      body: { label: "unknown-client" },
    });
  });
});

describe.concurrent("cookie renewal", () => {
  const renew = (publicApi: Api, cookie: string | undefined) => publicApi("POST", "/access", { cookie });

  it("replaces an old persistent cookie with the same new one on every use", async () => {
    const apis = await stackWith();
    const user = await newUser({}, apis);
    const { cookie: old } = await logIn(user, { label: "laptop", apis });
    apis.advance(14 * daySeconds + 1);
    const [first, second] = [await renew(apis.publicApi, old), await renew(apis.publicApi, old)];

    expect(cookieIdOf(first.cookie)).not.toBe(cookieIdOf(old));
    expect(first.setCookie).toContain("Expires=");
    expect(cookieIdOf(second.cookie)).toBe(cookieIdOf(first.cookie));
    expect(await renew(apis.publicApi, first.cookie)).toMatchObject({ status: 200, setCookie: undefined });

    const { body } = await apis.publicApi("GET", "/cookies", { token: first.body.access_token });
    const listed = (cookie: string | undefined) =>
      body.cookies.find(({ id }: { id: number }) => id === cookieIdOf(cookie));
    expect(listed(old)).toMatchObject({ label: "laptop", successor: cookieIdOf(first.cookie) });
    expect(listed(first.cookie)).toMatchObject({ label: "laptop", type: "persistent", successor: null });
  });

  it("keeps a cookie that is younger than the renewal age", async () => {
    const apis = await stackWith();
    const { cookie } = await newUser({}, apis);
    apis.advance(14 * daySeconds - 60);

    expect(await renew(apis.publicApi, cookie)).toMatchObject({ status: 200, setCookie: undefined });
  });

  it("leaves the old cookie valid for one more renewal age", async () => {
    const apis = await stackWith();
    const { cookie: old } = await newUser({}, apis);
    apis.advance(14 * daySeconds + 1);
    const { cookie: next } = await renew(apis.publicApi, old);
    apis.advance(14 * daySeconds - 60);
    expect((await renew(apis.publicApi, old)).status).toBe(200);
    apis.advance(120);

    expect(await renew(apis.publicApi, old)).toMatchObject(refused("Invalid token"));
    const renewed = await renew(apis.publicApi, next);
    expect(renewed.status).toBe(200);
    expect(cookieIdOf(renewed.cookie)).not.toBe(cookieIdOf(next));
  });

  it("leaves an unrenewed persistent cookie valid for 56 days", async () => {
    const apis = await stackWith();
    const { cookie } = await newUser({}, apis);
    const other = await newUser({}, apis);
    apis.advance(56 * daySeconds - 60);
    expect((await renew(apis.publicApi, cookie)).status).toBe(200);
    apis.advance(120);
    expect(await renew(apis.publicApi, other.cookie)).toMatchObject(refused("Token expired"));
  });

  it("never replaces a session cookie, which is valid for a week", async () => {
    const apis = await stackWith({ setUserCookieRenewAge: daySeconds });
    const { cookie } = await logIn(await newUser({}, apis), { isPersistent: false, apis });
    apis.advance(7 * daySeconds - 60);
    expect(await renew(apis.publicApi, cookie)).toMatchObject({ status: 200, setCookie: undefined });
    apis.advance(120);

    expect(await renew(apis.publicApi, cookie)).toMatchObject(refused("Token expired"));
  });
});

describe.concurrent("POST /access/logout", () => {
  it("revokes and clears the cookie, but neither the access token nor other cookies", async () => {
    const user = await newUser();
    const { cookie: other } = await logIn(user);
    const { status, setCookie, body } = await api("POST", "/access/logout", user);

    expect({ status, body }).toEqual({ status: 200, body: "" });
    expect(setCookie).toMatch(
      /^zuid=; path=\/access; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure$/,
    );
    expect(await api("POST", "/access", user)).toMatchObject(refused("Invalid token"));
    expect((await api("GET", "/self", { token: user.token })).status).toBe(200);
    expect((await api("POST", "/access", { cookie: other })).status).toBe(200);
  });

  it("requires both a cookie and a bearer token", async () => {
    const { cookie, token } = await newUser();
    for (const request of [{}, { cookie }, { token }]) {
      expect(await api("POST", "/access/logout", request)).toMatchObject({
        status: 403,
        body: { label: "invalid-credentials" },
      });
    }
    expect((await api("POST", "/access", { cookie })).status).toBe(200);
  });

  it("refuses somebody else's bearer token", async () => {
    const [{ cookie }, { token }] = await Promise.all([newUser(), newUser()]);
    expect((await api("POST", "/access/logout", { cookie, token })).status).toBe(403);
    expect((await api("POST", "/access", { cookie })).status).toBe(200);
  });

  it("returns 403 the second time", async () => {
    const user = await newUser();
    await api("POST", "/access/logout", user);
    expect(await api("POST", "/access/logout", user)).toMatchObject(refused("Invalid token"));
  });
});

describe.concurrent("an access token", () => {
  it("is accepted in the header, in any case, and in the query", async () => {
    const { token, id } = await newUser();
    const answers = await Promise.all([
      api("GET", "/self", { headers: { authorization: `Bearer ${token}` } }),
      api("GET", "/self", { headers: { authorization: `bearer   ${token}` } }),
      api("GET", `/self?access_token=${encodeURIComponent(token)}`),
    ]);
    for (const { body } of answers) expect(body.id).toBe(id);
  });

  it("is refused with 401 when it is missing, malformed, forged or expired", async () => {
    const { token, id } = await newUser();
    const expired = await signedToken({ userId: id, expiresAtSeconds: pastSeconds });
    for (const bearer of [
      undefined,
      "",
      "garbage",
      forged(token),
      expired,
      `${token}x`,
      token.replace(".t=a", ""),
    ]) {
      expect((await api("GET", "/self", { token: bearer })).status).toBe(401);
    }
    expect((await api("GET", "/self", { headers: { authorization: `Basic ${token}` } })).status).toBe(401);
  });

  it("is refused with 403 when it is of another type", async () => {
    const { cookie, id } = await newUser();
    const legalHold = await signedToken({ type: "legalhold-access", userId: id });
    for (const token of [cookie, legalHold]) expect((await api("GET", "/self", { token })).status).toBe(403);
  });

  it("is refused with 401 when its key does not exist, whatever key index it names", async () => {
    const userId = randomUUID();
    for (const keyIndex of [0, 2, 99]) {
      expect((await api("GET", "/self", { token: await signedToken({ userId, keyIndex }) })).status).toBe(
        401,
      );
    }
  });

  it("expires after 900 seconds", async () => {
    const apis = await stackWith({}, { isClockStopped: true });
    const { token } = await newUser({}, apis);
    apis.advance(890);
    expect((await apis.publicApi("GET", "/self", { token })).status).toBe(200);
    apis.advance(11);

    expect((await apis.publicApi("GET", "/self", { token })).status).toBe(401);
  });

  it("cannot be replaced by Z-User on the public API", async () => {
    const { id } = await newUser();
    expect((await api("GET", "/self", { headers: { "Z-User": id } })).status).toBe(401);
  });
});
