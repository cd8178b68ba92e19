import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { purgeExpired } from "../../support/purge-expired.ts";
import { stackWith } from "../../support/stack-with.ts";
import { partsOf } from "../../support/tokens.ts";
import { logIn, newEmail, newUser, register, somePassword } from "../../support/users.ts";

const setStatus = (id: string, status: string) =>
  internalApi("PUT", `/i/users/${id}/status`, { json: { status } });

const refusal = ({ status, body }: { status: number; body: unknown }) => ({ status, ...Object(body) });
const wrongCredentials = {
  status: 403,
  code: 403,
  label: "invalid-credentials",
  message: "Authentication failed.",
};

describe.concurrent("login", () => {
  it("returns the user and an access token that is valid for 900 seconds", async () => {
    const user = await newUser();
    const { status, body } = await logIn(user);

    expect(status).toBe(200);
    expect(body).toEqual({
      user: user.id,
      access_token: expect.any(String),
      token_type: "Bearer",
      expires_in: 900,
    });
    expect((await api("GET", "/self", { token: body.access_token })).body.id).toBe(user.id);
  });

  it("signs tokens in the published format", async () => {
    const { token, cookie, id } = await newUser();

    expect(token).toMatch(/^[\w=+/-]{88}\.v=1\.k=\d+\.d=\d+\.t=a\.l=\.u=[^.]+\.c=\d+$/);
    expect(cookie).toMatch(/^[\w=+/-]{88}\.v=1\.k=\d+\.d=\d+\.t=u\.l=\.u=[^.]+\.r=[0-9a-f]{1,8}$/);
    expect([partsOf(token).u, partsOf(cookie).u]).toEqual([id, id]);
    expect(Math.abs(Number(partsOf(token).d) - Date.now() / 1000 - 900)).toBeLessThan(30);
  });

  it("sets a session cookie without persist, which has no Expires and whose token has the type s", async () => {
    const user = await newUser();
    const { setCookie, cookie } = await logIn(user, { isPersistent: false });

    expect(setCookie).toMatch(/^zuid=[^;]+; path=\/access; HttpOnly; Secure$/);
    expect(partsOf(cookie).l).toBe("s");
    const lifetimeSeconds = Number(partsOf(cookie).d) - Date.now() / 1000;
    expect(Math.abs(lifetimeSeconds - 7 * 86_400)).toBeLessThan(60);
    const unnamed = await api("POST", "/login", { json: { email: user.email, password: user.password } });
    expect(unnamed.setCookie).not.toContain("Expires");
  });

  it("sets a cookie that expires after 56 days with persist", async () => {
    const { setCookie, cookie } = await logIn(await newUser(), { isPersistent: true });

    const expiresAt = Date.parse(/Expires=([^;]+)/.exec(setCookie ?? "")?.[1] ?? "");
    expect(Math.abs(expiresAt - Date.now() - 56 * 86_400_000)).toBeLessThan(60_000);
    expect(expiresAt).toBe(Number(partsOf(cookie).d) * 1000);
  });

  it("accepts persist as libraries of other languages write a boolean", async () => {
    const user = await newUser();
    const cookies = ["True", "TRUE", "False", "FALSE"].map(async (persist) => {
      const json = { email: user.email, password: user.password };
      return (await api("POST", `/login?persist=${persist}`, { json })).setCookie?.includes("Expires");
    });
    expect(await Promise.all(cookies)).toEqual([true, true, false, false]);
  });

  it("accepts the address in any case and with any suffix", async () => {
    const user = await newUser();
    for (const email of [user.email.toUpperCase(), user.email.replace("@", "+home@")]) {
      expect((await logIn({ ...user, email })).status).toBe(200);
    }
  });

  it("refuses a wrong password and an unknown user with the same response", async () => {
    const user = await newUser();
    const password = "not the password";

    expect(refusal(await logIn({ ...user, password }))).toEqual(wrongCredentials);
    expect(refusal(await logIn({ email: newEmail(), password }))).toEqual(wrongCredentials);
    expect(refusal(await api("POST", "/login", { json: { handle: "nobody.here", password } }))).toEqual(
      wrongCredentials,
    );
    expect(refusal(await api("POST", "/login", { json: { phone: "+4917000000000", password } }))).toEqual(
      wrongCredentials,
    );
  });

  it("compares the whole password", async () => {
    const user = await newUser({ password: `${"x".repeat(100)}é\u0000` });
    for (const password of ["x".repeat(100), `${"x".repeat(100)}é`, `${"x".repeat(100)}e\u0000`]) {
      expect(refusal(await logIn({ ...user, password }))).toEqual(wrongCredentials);
    }
    expect((await logIn(user)).status).toBe(200);
  });

  it("returns 403 pending-activation for an account never activated, but only with the right password", async () => {
    const email = newEmail();
    await register({ email, password: somePassword });

    expect(await logIn({ email, password: somePassword })).toMatchObject({
      status: 403,
      body: { label: "pending-activation" },
    });
    expect(refusal(await logIn({ email, password: "not the password" }))).toEqual(wrongCredentials);
  });

  it("returns 403 invalid-credentials for an account without a password", async () => {
    const user = await newUser();
    const email = newEmail();
    await api("POST", "/activate/send", { json: { email } });
    const { body } = await internalApi("GET", `/i/users/activation-code?email=${email}`);
    expect((await register({ email, email_code: body.code })).status).toBe(201);

    expect(refusal(await logIn({ email, password: user.password }))).toEqual(wrongCredentials);
  });

  it("refuses an impossible password like any wrong one", async () => {
    const { email, password } = await newUser();
    for (const wrong of ["", "12345", "x".repeat(1025)])
      expect(refusal(await logIn({ email, password: wrong }))).toEqual(wrongCredentials);
    for (const identity of [
      { email: "" },
      { email: "noat.example" },
      { email: `${"a".repeat(400)}@example.com` },
      { phone: "0170" },
      { handle: "x".repeat(3000) },
    ])
      expect(refusal(await api("POST", "/login", { json: { ...identity, password } }))).toEqual(
        wrongCredentials,
      );
    const json = { phone: "0170", code: "1".repeat(100) };
    expect(refusal(await api("POST", "/login", { json }))).toEqual(wrongCredentials);
  });

  it("accepts a number as persist, as some clients write it", async () => {
    const { email, password } = await newUser();
    const json = { email, password };
    expect((await api("POST", "/login?persist=1", { json })).setCookie).toContain("Expires=");
    expect((await api("POST", "/login?persist=0", { json })).setCookie).not.toContain("Expires=");
  });

  it("refuses a persist that is not a boolean with 400 bad-request", async () => {
    const json = { email: newEmail(), password: somePassword };
    expect((await api("POST", "/login?persist=maybe", { json })).body.label).toBe("bad-request");
  });
});

describe.concurrent("a suspended account", () => {
  it("is refused with 403 suspended, but only with the right password", async () => {
    const user = await newUser();
    await setStatus(user.id, "suspended");

    expect(await logIn(user)).toMatchObject({ status: 403, body: { label: "suspended" } });
    expect(refusal(await logIn({ ...user, password: "not the password" }))).toEqual(wrongCredentials);
  });

  it("loses its cookies, but keeps its access tokens", async () => {
    const user = await newUser();
    await setStatus(user.id, "suspended");

    expect(await api("POST", "/access", { cookie: user.cookie })).toMatchObject({
      status: 403,
      body: { label: "invalid-credentials" },
    });
    expect((await api("GET", "/self", { token: user.token })).status).toBe(200);
  });

  it("can log in again once it is active, while its old cookies stay revoked", async () => {
    const user = await newUser();
    await setStatus(user.id, "suspended");
    expect((await internalApi("GET", `/i/users/${user.id}/status`)).body).toEqual({ status: "suspended" });
    await setStatus(user.id, "active");

    expect((await logIn(user)).status).toBe(200);
    expect((await api("POST", "/access", { cookie: user.cookie })).status).toBe(403);
  });

  it("cannot be created with an invalid status or for an unknown user", async () => {
    const user = await newUser();
    expect(await setStatus(user.id, "deleted")).toMatchObject({
      status: 400,
      body: { label: "invalid-status" },
    });
    expect(await setStatus("00000000-0000-4000-8000-000000000000", "suspended")).toMatchObject({
      status: 404,
    });
    expect((await internalApi("GET", `/i/users/${user.id}/status`)).body).toEqual({ status: "active" });
  });
});

describe.concurrent("login with settings", () => {
  const argon2id = { algorithm: "argon2id", memory: 64, iterations: 1 } as const;

  async function storedHash({ prefix }: { prefix: string }, userId: string): Promise<string> {
    const dynamo = DynamoDBDocumentClient.from(new DynamoDBClient());
    const key = { pk: `user#${userId}`, sk: "account" };
    const { Item } = await dynamo.send(new GetCommand({ TableName: `${prefix}-accounts`, Key: key }));
    dynamo.destroy();
    return Item?.passwordHash;
  }

  it("rewrites a scrypt hash when argon2id is configured, and only with the right password", async () => {
    const scrypt = await stackWith();
    const user = await newUser({}, scrypt);
    const before = await storedHash(scrypt, user.id);
    const argon = await stackWith({ setPasswordHashingOptions: argon2id });
    await logIn({ ...user, password: "not the password" }, { apis: argon });
    expect(await storedHash(scrypt, user.id)).toBe(before);

    expect((await logIn(user, { apis: argon })).status).toBe(200);
    const after = await storedHash(scrypt, user.id);
    expect(before).toMatch(/^\$scrypt\$/);
    expect(after).toMatch(/^\$argon2id\$/);

    for (const apis of [scrypt, argon]) expect((await logIn(user, { apis })).status).toBe(200);
    expect(await storedHash(scrypt, user.id)).toBe(after);
  });

  it("suspends an account when all of its cookies are older than the inactivity limit", async () => {
    const apis = await stackWith({ setSuspendInactiveUsers: { suspendTimeout: 3600 } });
    const user = await newUser({}, apis);
    apis.advance(3000);
    expect((await logIn(user, { apis })).status).toBe(200);
    apis.advance(3000);
    expect((await logIn(user, { apis })).status).toBe(200);
    apis.advance(3601);

    expect(await logIn(user, { apis })).toMatchObject({ status: 403, body: { label: "suspended" } });
    expect((await apis.internalApi("GET", `/i/users/${user.id}/status`)).body).toEqual({
      status: "suspended",
    });
    expect((await apis.publicApi("POST", "/access", { cookie: user.cookie })).status).toBe(403);
  });

  it("suspends a user who has been inactive for longer than cookies are kept", async () => {
    const apis = await stackWith({ setSuspendInactiveUsers: { suspendTimeout: 30 * 86_400 } });
    const user = await newUser({}, apis);
    apis.advance(100 * 86_400);
    await purgeExpired(apis);
    expect(outcome(await logIn(user, { apis }))).toBe("403 suspended");
  });

  it("does not count a user without cookies as inactive", async () => {
    const apis = await stackWith({ setSuspendInactiveUsers: { suspendTimeout: 3600 } });
    const user = await newUser({}, apis);
    const json = { email: user.email, password: user.password };
    await apis.publicApi("POST", "/cookies/remove", { token: user.token, json });
    apis.advance(7200);

    expect((await logIn(user, { apis })).status).toBe(200);
  });
});
