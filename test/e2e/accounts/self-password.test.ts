import { describe, expect, it } from "vitest";
import { accountEditor } from "../../support/accounts.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { stackWith } from "../../support/stack-with.ts";
import {
  activate,
  logIn,
  newEmail,
  newUser,
  register,
  somePassword,
  type User,
} from "../../support/users.ts";

const accounts = accountEditor();

const newPassword = "a new password";
const wrongPassword = "not the password";
const change = ({ token }: Pick<User, "token">, json: object, prefix = "") =>
  api("PUT", `${prefix}/self/password`, { token, json });
const check = ({ token }: Pick<User, "token">) => api("HEAD", "/self/password", { token });
const replace = { old_password: somePassword, new_password: newPassword };

/** A user without a password. */
async function userWithoutPassword(fields: Record<string, unknown> = { email: newEmail() }) {
  const { cookie = "", body } = await register(fields);
  if (typeof fields.email === "string") await activate({ email: fields.email });
  const access = await api("POST", "/access", { cookie });
  return { id: body.id, email: String(fields.email), token: access.body.access_token as string, cookie };
}

describe.concurrent("HEAD /self/password", () => {
  it("returns 200 with a password, 404 without one, and 401 without a token", async () => {
    const user = await userWithoutPassword();
    expect(await check(user)).toMatchObject({ status: 404, body: "" });
    await change(user, { new_password: newPassword });
    expect(await check(user)).toMatchObject({ status: 200, body: "" });
    expect((await api("HEAD", "/self/password")).status).toBe(401);
    expect(outcome(await api("GET", "/self/password", user))).toBe("405 method-not-allowed");
  });
});

describe.concurrent("PUT /self/password", () => {
  it.each(["", "/v0", "/v6", "/v8"])(
    "replaces the password under %j and revokes every cookie",
    async (prefix) => {
      const user = await newUser();
      const { cookie: second } = await logIn(user);
      expect(await change(user, replace, prefix)).toMatchObject({ status: 200, body: "" });

      for (const cookie of [user.cookie, second]) {
        expect(outcome(await api("POST", "/access", { cookie }))).toBe("403 invalid-credentials");
      }
      expect((await api("GET", "/cookies", user)).body).toEqual({ cookies: [] });
      expect(outcome(await logIn(user))).toBe("403 invalid-credentials");
      expect(outcome(await logIn({ ...user, password: newPassword }))).toBe("200");
    },
  );

  it("revokes nothing when it sets the first password", async () => {
    const user = await userWithoutPassword();
    expect(outcome(await change(user, { new_password: newPassword }))).toBe("200");
    expect(outcome(await api("POST", "/access", user))).toBe("200");
    expect(outcome(await logIn({ ...user, password: newPassword }))).toBe("200");
  });

  it("returns 403 invalid-credentials when the old password is wrong, missing, or given where there is none", async () => {
    const user = await newUser();
    expect(outcome(await change(user, { ...replace, old_password: wrongPassword }))).toBe(
      "403 invalid-credentials",
    );
    expect(outcome(await change(user, { new_password: newPassword }))).toBe("403 invalid-credentials");
    expect(outcome(await change(await userWithoutPassword(), replace))).toBe("403 invalid-credentials");

    expect(outcome(await logIn(user))).toBe("200");
    expect(outcome(await api("POST", "/access", user))).toBe("200");
  });

  it("returns 409 password-must-differ for the same password, but only when the old one is right", async () => {
    const user = await newUser();
    const same = (password: string) => change(user, { old_password: password, new_password: password });
    expect(outcome(await same(somePassword))).toBe("409 password-must-differ");
    expect(outcome(await same(wrongPassword))).toBe("403 invalid-credentials");
    expect(outcome(await api("POST", "/access", user))).toBe("200");
  });

  it("returns 403 no-identity without a verified identity, and 403 suspended for a suspended account", async () => {
    const anonymous = await userWithoutPassword({});
    expect(outcome(await change(anonymous, { new_password: newPassword }))).toBe("403 no-identity");
    const { cookie } = await register({ email: newEmail(), password: somePassword });
    const { body } = await api("POST", "/access", { cookie });
    expect(outcome(await change({ token: body.access_token }, replace))).toBe("403 no-identity");

    const user = await newUser();
    await internalApi("PUT", `/i/users/${user.id}/status`, { json: { status: "suspended" } });
    expect(outcome(await change(user, replace))).toBe("403 suspended");
  });

  it("sets the first password of an account managed by SCIM", async () => {
    const user = await userWithoutPassword();
    await accounts.change(user, { managedByScim: true });
    expect(outcome(await change(user, { new_password: newPassword }))).toBe("200");
  });

  it("sets exactly one of 20 new passwords sent concurrently", async () => {
    const user = await newUser();
    const passwords = Array.from({ length: 20 }, (_, index) => `password number ${index}`);
    const answers = await Promise.all(
      passwords.map((new_password) => change(user, { ...replace, new_password })),
    );
    const outcomes = answers.map(outcome);
    expect(outcomes.toSorted()).toEqual(["200", ...Array(19).fill("403 invalid-credentials")]);
    const password = passwords[outcomes.indexOf("200")] ?? "";
    expect(outcome(await logIn({ ...user, password }))).toBe("200");
  });

  it("sets exactly one of 20 first passwords sent concurrently", async () => {
    const user = await userWithoutPassword();
    const passwords = Array.from({ length: 20 }, (_, index) => `password number ${index}`);
    const answers = await Promise.all(passwords.map((new_password) => change(user, { new_password })));
    const outcomes = answers.map(outcome);
    expect(outcomes.toSorted()).toEqual(["200", ...Array(19).fill("403 invalid-credentials")]);
    expect(outcome(await api("POST", "/access", user))).toBe("200");
  });

  it("leaves no cookie of a concurrent login with the old password", async () => {
    const user = await newUser();
    const [changed, ...logins] = await Promise.all([
      change(user, replace),
      ...Array.from({ length: 10 }, () => logIn(user)),
    ]);
    expect(changed.status).toBe(200);
    for (const { cookie } of logins) {
      if (cookie !== undefined) expect((await api("POST", "/access", { cookie })).status).toBe(403);
    }
  });

  it("counts wrong old passwords apart from failed logins, and applies the rate limit on password checks", async () => {
    const apis = await stackWith({
      setLimitFailedLogins: { timeout: 60, retryLimit: 3 },
      setPasswordHashingRateLimit: {
        perIp: { burst: 1, refillSeconds: 0 },
        perUser: { burst: 6, refillSeconds: 60 },
      },
    });
    const user = await newUser({}, apis);
    const put = (json: object) => apis.publicApi("PUT", "/self/password", { token: user.token, json });
    const same = { old_password: somePassword, new_password: somePassword };
    expect(outcome(await put(same))).toBe("409 password-must-differ");
    apis.advance(60);
    for (let count = 0; count < 3; count++) {
      const wrong = { ...replace, old_password: wrongPassword };
      expect(outcome(await put(wrong))).toBe("403 invalid-credentials");
    }
    const refused = await put(replace);
    expect(outcome(refused)).toBe("403 client-error");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(outcome(await logIn(user, { apis }))).toBe("200");

    apis.advance(61);
    expect(outcome(await put(replace))).toBe("200");
    expect(outcome(await logIn({ ...user, password: newPassword }, { apis }))).toBe("200");
    let last = "200";
    for (let count = 0; count < 6 && last === "200"; count++) {
      const [old_password, new_password] =
        count % 2 === 0 ? [newPassword, somePassword] : [somePassword, newPassword];
      last = outcome(await put({ old_password, new_password }));
    }
    expect(last).toBe("429 too-many-requests");
  });
});
