import { randomUUID } from "node:crypto";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, describe, expect, it } from "vitest";
import { adminOf } from "../../support/admin.ts";
import { type ApiAnswer, api, internalApi, outcome } from "../../support/api.ts";
import { registerDevice } from "../../support/devices.ts";
import { injectFaults } from "../../support/faults.ts";
import { messagesTo, nextMessage, wrongCode } from "../../support/messages.ts";
import type { OwnStack } from "../../support/own-stack.ts";
import { rawRequest } from "../../support/raw-request.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { stackWith } from "../../support/stack-with.ts";
import { joinTeam, newMember, newTeam } from "../../support/teams.ts";
import {
  type Apis,
  activate,
  newEmail,
  newPhone,
  newUser,
  register,
  registeredUser,
  somePassword,
  type User,
} from "../../support/users.ts";

const required = "403 code-authentication-required";
const failed = "403 code-authentication-failed";
const delaySeconds = 300;

/** Requires a second factor of members of teams, without limits. */
let open: OwnStack;
/** Has limits, and a clock that tests advance, which is why they run one at a time. */
let limited: OwnStack;

beforeAll(async () => {
  [open, limited] = await Promise.all([
    stackWith({ sndFactorPasswordChallenge: { defaults: { status: "enabled" } } }),
    stackWith({
      sndFactorPasswordChallenge: { defaults: { status: "enabled" } },
      set2FACodeGenerationDelaySecs: delaySeconds,
      setCodeReplacementRateLimit: { burst: 2, refillSeconds: 3600 },
      setCodeDeliveryRateLimitPerIp: { burst: 60, refillSeconds: 10 },
      setLimitFailedLogins: { timeout: 600, retryLimit: 5 },
    }),
  ]);
});

const request = (email: string, { apis = open as Apis, action = "login", prefix = "" } = {}) =>
  apis.publicApi("POST", `${prefix}/verification-code/send`, { json: { action, email } });

const pendingCode = async ({ id }: Pick<User, "id">, { apis = open as Apis, action = "login" } = {}) =>
  (await apis.internalApi("GET", `/i/users/${id}/verification-code/${action}`)).body;

/** Requests a code and returns it. */
async function newCode(user: User, { apis = open as Apis, action = "login" } = {}): Promise<string> {
  expect(outcome(await request(user.email, { apis, action }))).toBe("200");
  return pendingCode(user, { apis, action });
}

const logIn = (
  user: { email?: string; phone?: string; handle?: string; password: string },
  code?: string,
  { publicApi }: Apis = open,
): Promise<ApiAnswer> => {
  const { email, phone, handle, password } = user;
  return publicApi("POST", "/login", { json: { email, phone, handle, password, verification_code: code } });
};

const concurrently = <Result>(count: number, start: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => start(index)));

const retryAfter = ({ headers }: ApiAnswer) => Number(headers.get("retry-after"));

const purposesTo = async (email: string) =>
  (await messagesTo(email)).map(({ headers }) => headers["X-Svc-Purpose"]).sort();

describe.concurrent("requesting a second-factor code", () => {
  it("returns 200 without a body and mails a code", async () => {
    const user = await newMember({}, open);
    const { status, body } = await request(user.email);
    const { headers, text, html } = await nextMessage(user.email);

    expect({ status, body }).toEqual({ status: 200, body: "" });
    const code = await pendingCode(user);
    expect(code).toMatch(/^\d{6}$/);
    expect(headers).toMatchObject({ "X-Svc-Purpose": "SecondFactorVerification", "X-Svc-Code": code });
    expect(headers).not.toHaveProperty("X-Svc-Key");
    expect(text).toContain(code);
    expect(html).toContain(code);
  });

  it("creates a separate code for every action", async () => {
    const user = await newMember({}, open);
    const codes = new Set();
    for (const action of ["login", "create_scim_token", "delete_team"]) {
      codes.add(await newCode(user, { action }));
    }
    expect(codes.size).toBeGreaterThan(1);
    expect(outcome(await logIn(user, await pendingCode(user, { action: "delete_team" })))).toBe(failed);
    expect(outcome(await logIn(user, await pendingCode(user)))).toBe("200");
  });

  it.each(["/v0", "/v6", "/v8", "/v9"])("works the same under %s", async (prefix) => {
    const user = await newMember({}, open);
    expect(outcome(await request(user.email, { prefix }))).toBe("200");
    expect(await pendingCode(user)).toMatch(/^\d{6}$/);
  });

  it("mails to the address as the account spells it, in the account's language", async () => {
    const email = newEmail().replace("user", "Ada.User");
    await newMember({ email, locale: "de" }, open);
    expect(outcome(await request(email.toUpperCase().replace("@", "+x@")))).toBe("200");
    const { to, subject, html } = await nextMessage(email);

    expect(to).toBe(email);
    expect(subject).toContain("Sicherheitscode");
    expect(html).toContain('lang="de"');
  });

  it("replaces the previous code", async () => {
    const user = await newMember({}, open);
    const older = await newCode(user);
    const newer = await newCode(user);

    if (older !== newer) expect(outcome(await logIn(user, older))).toBe(failed);
    expect(outcome(await logIn(user, newer))).toBe("200");
  });

  it("returns 200 and mails nothing for addresses without an active account", async () => {
    const suspended = await newMember({}, open);
    await open.internalApi("PUT", `/i/users/${suspended.id}/status`, { json: { status: "suspended" } });
    const pending = newEmail();
    const { body } = await register({ email: pending, password: somePassword }, open);
    const unknown = newEmail();
    await nextMessage(pending);

    for (const email of [suspended.email, pending, unknown]) {
      expect(await request(email)).toMatchObject({ status: 200, body: "" });
    }
    expect(await pendingCode(suspended)).toBeNull();
    expect(await pendingCode({ id: body.id })).toBeNull();
    // A later mail to another user shows that no other is on its way.
    const user = await newMember({}, open);
    await request(user.email);
    await nextMessage(user.email);
    expect(await purposesTo(suspended.email)).toEqual([]);
    expect(await purposesTo(pending)).toEqual(["Activation"]);
    expect(await purposesTo(unknown)).toEqual([]);
  });

  it("mails nothing while no second factor is required, when a password is enough to log in", async () => {
    const user = await registeredUser();
    await nextMessage(user.email);
    const apis = { publicApi: api, internalApi };
    for (let count = 0; count < 2; count++) {
      expect(await request(user.email, { apis })).toMatchObject({ status: 200, body: "" });
    }
    expect(await pendingCode(user, { apis })).toBeNull();
    expect(await purposesTo(user.email)).toEqual(["Activation"]);
    expect(outcome(await logIn(user, undefined, apis))).toBe("200");
    expect(outcome(await logIn(user, "123456", apis))).toBe("200");
  });

  it("requires a known action and an email address", async () => {
    const send = (json: unknown) => open.publicApi("POST", "/verification-code/send", { json });
    const email = newEmail();
    for (const json of [
      {},
      { email },
      { action: "login" },
      { action: "logout", email },
      { action: ["login"], email },
      { action: "login", email: 1 },
      { action: "login", email: "" },
      { action: "login", email: `${"x".repeat(400)}@example.com` },
    ]) {
      expect(outcome(await send(json))).toBe("400 bad-request");
    }
    expect(outcome(await send({ action: "login", email: "nobody" }))).toBe("400 invalid-email");
    expect(outcome(await send({ action: "login", email, more: true }))).toBe("200");
  });
});

describe.concurrent("a login with a second factor", () => {
  it("returns 403 code-authentication-required without a code, and 403 code-authentication-failed with a wrong one", async () => {
    const user = await newMember({}, open);
    expect(outcome(await logIn(user))).toBe(required);
    expect(outcome(await logIn(user, "123456"))).toBe(failed);
    const code = await newCode(user);
    expect(outcome(await logIn(user))).toBe(required);
    expect(outcome(await logIn(user, wrongCode(code)))).toBe(failed);
    expect(outcome(await logIn(user, `${code}0`))).toBe(failed);

    const answer = await logIn(user, code);
    expect(answer).toMatchObject({ status: 200, body: { user: user.id, token_type: "Bearer" } });
    expect(answer.cookie).toBeDefined();
  });

  it("does not use up the code", async () => {
    const user = await newMember({}, open);
    const code = await newCode(user);
    for (let count = 0; count < 5; count++) expect(outcome(await logIn(user, code))).toBe("200");
    expect(await pendingCode(user)).toBe(code);
  });

  it("leaves its code valid for adding a device", async () => {
    const { publicApi } = open;
    const user = await newMember({}, open);
    const code = await newCode(user);
    const token: string = (await logIn(user, code)).body.access_token;
    const add = async (fields: Record<string, unknown>) =>
      outcome(await registerDevice({ token }, fields, { publicApi }));

    expect(await add({})).toBe(required);
    expect(await add({ verification_code: wrongCode(code) })).toBe(failed);
    expect(await add({ verification_code: code })).toBe("201");
    expect(await add({ verification_code: code })).toBe("403 missing-auth");
    expect(await add({ verification_code: code, password: user.password })).toBe("201");
    expect(outcome(await logIn(user, code))).toBe("200");
  });

  it("is also required of accounts without an email address to add a device", async () => {
    const { publicApi } = open;
    const add = async (token: string, fields: Record<string, unknown> = {}) =>
      outcome(await registerDevice({ token }, fields, { publicApi }));
    const registeredBy = async (fields: Record<string, unknown>) => {
      const { body, cookie } = await register(fields, open);
      const token: string = (await publicApi("POST", "/access", { cookie })).body.access_token;
      return { id: body.id as string, token };
    };
    for (const password of [undefined, somePassword]) {
      const phone = newPhone();
      const { id, token } = await registeredBy({ phone, password });
      await activate({ phone }, open);
      await joinTeam(await newTeam({}, open), { id }, open);
      expect(await add(token)).toBe(required);
      expect(await add(token, { verification_code: "123456" })).toBe(failed);
    }
    expect(await add((await registeredBy({})).token)).toBe("201");
  });

  it("is required to remove an address, so that a removal does not bypass it", async () => {
    const { publicApi } = open;
    const user = await newMember({}, open);
    const code = await newCode(user);
    const token: string = (await logIn(user, code)).body.access_token;
    const phone = newPhone();
    await publicApi("PUT", "/self/phone", { token, json: { phone } });
    await activate({ phone }, open);
    const remove = async (kind: string, json?: object) =>
      outcome(await publicApi("DELETE", `/self/${kind}`, { token, json }));

    for (const kind of ["email", "phone"]) {
      expect(await remove(kind)).toBe(required);
      expect(await remove(kind, { verification_code: wrongCode(code) })).toBe(failed);
    }
    const next = await newCode(user);
    expect(await remove("email", { verification_code: next })).toBe("200");
    expect(await remove("phone", { verification_code: next })).toBe("403 last-identity");
    for (const fields of [{}, { verification_code: next }]) {
      const added = await registerDevice({ token }, fields, { publicApi });
      expect(outcome(added)).toBe("verification_code" in fields ? failed : required);
    }
  });

  it("refuses the right code after three wrong ones, until a new one is requested", async () => {
    const user = await newMember({}, open);
    const code = await newCode(user);
    for (let count = 0; count < 3; count++) {
      expect(outcome(await logIn(user, wrongCode(code, count)))).toBe(failed);
    }
    expect(outcome(await logIn(user, code))).toBe(failed);
    expect(await pendingCode(user)).toBeNull();

    expect(outcome(await logIn(user, await newCode(user)))).toBe("200");
  });

  it("refuses the right code after 20 concurrent wrong guesses", async () => {
    const user = await newMember({}, open);
    const code = await newCode(user);
    const outcomes = (await concurrently(20, (index) => logIn(user, wrongCode(code, index)))).map(outcome);

    expect(outcomes).toEqual(Array(20).fill(failed));
    expect(outcome(await logIn(user, code))).toBe(failed);
  });

  it("refuses the right code with a wrong password, and counts no attempt for it", async () => {
    const user = await newMember({}, open);
    const code = await newCode(user);
    for (const candidate of [code, wrongCode(code), undefined, wrongCode(code), wrongCode(code)]) {
      const answer = await logIn({ ...user, password: "not the password" }, candidate);
      expect(outcome(answer)).toBe("403 invalid-credentials");
    }
    expect(outcome(await logIn(user, code))).toBe("200");
  });

  it("refuses another user's code", async () => {
    const [user, other] = await Promise.all([newMember({}, open), newMember({}, open)]);
    const [code, foreign] = [await newCode(user), await newCode(other)];
    if (code !== foreign) expect(outcome(await logIn(user, foreign))).toBe(failed);
    expect(outcome(await logIn(user, code))).toBe("200");
  });

  it("refuses a code that was mailed to a former address", async () => {
    const user = await newMember({}, open);
    const email = newEmail();
    const { body, cookie } = await logIn(user, await newCode(user));
    const token = body.access_token;
    const code = await newCode(user);
    await open.publicApi("PUT", "/access/self/email", { token, cookie, json: { email } });
    await activate({ email }, open);
    expect(outcome(await logIn({ ...user, email }, code))).toBe(failed);
  });

  it("requires a code by phone and by handle, too", async () => {
    const phone = newPhone();
    const user = await registeredUser({ phone }, open);
    await activate({ phone }, open);
    await joinTeam(await newTeam({}, open), user, open);
    const handle = await withHandle(open, user.email);
    const { password } = user;
    for (const identity of [{ phone }, { handle }]) {
      expect(outcome(await logIn({ ...identity, password }))).toBe(required);
    }
    const code = await newCode(user);
    for (const identity of [{ phone }, { handle }]) {
      expect(outcome(await logIn({ ...identity, password }, wrongCode(code)))).toBe(failed);
      expect(outcome(await logIn({ ...identity, password }, code))).toBe("200");
    }
  });

  it("refuses accounts without an email address, which cannot get a code", async () => {
    const phone = newPhone();
    const { body } = await register({ phone, password: somePassword }, open);
    await activate({ phone }, open);
    await joinTeam(await newTeam({}, open), body, open);
    expect(outcome(await logIn({ phone, password: somePassword }))).toBe(required);
    expect(outcome(await logIn({ phone, password: somePassword }, "123456"))).toBe(failed);
    expect(outcome(await logIn({ phone, password: "not the password" }))).toBe("403 invalid-credentials");
  });

  it("requires no code for a login by SMS", async () => {
    const phone = newPhone();
    const user = await registeredUser({ phone }, open);
    await activate({ phone }, open);
    await joinTeam(await newTeam({}, open), user, open);
    await open.publicApi("POST", "/login/send", { json: { phone } });
    const query = new URLSearchParams({ phone });
    const { code } = (await open.internalApi("GET", `/i/users/login-code?${query}`)).body;
    expect(outcome(await open.publicApi("POST", "/login", { json: { phone, code } }))).toBe("200");
  });

  it("reports a suspension without asking for a code", async () => {
    const user = await newMember({}, open);
    await open.internalApi("PUT", `/i/users/${user.id}/status`, { json: { status: "suspended" } });
    expect(outcome(await logIn(user))).toBe("403 suspended");
  });

  it("refuses codes that can only be wrong as wrong ones, and what is no text with 400 bad-request", async () => {
    const user = await newMember({}, open);
    const { email, password } = user;
    const withCode = async (code: unknown) => {
      const json = { email, password, verification_code: code };
      return outcome(await open.publicApi("POST", "/login", { json }));
    };
    for (const code of ["", "x".repeat(65)])
      expect(await withCode(code)).toBe("403 code-authentication-failed");
    for (const code of [123456, ["123456"]]) expect(await withCode(code)).toBe("400 bad-request");
  });
});

describe.concurrent("GET /i/users/{uid}/verification-code/{action}", () => {
  it("returns null while no code is pending, even for an unknown user", async () => {
    const user = await newMember({}, open);
    expect(await pendingCode(user)).toBeNull();
    expect(await pendingCode({ id: randomUUID() })).toBeNull();
  });

  it("requires a user id and a known action, and is not public", async () => {
    const find = (path: string) => open.internalApi("GET", `/i/users/${path}`);
    expect(outcome(await find(`${randomUUID()}/verification-code/logout`))).toBe("400 bad-request");
    expect(outcome(await find("somebody/verification-code/login"))).toBe("400 bad-request");
    const { status } = await open.publicApi("GET", `/i/users/${randomUUID()}/verification-code/login`);
    expect(status).toBe(404);
  });
});

describe.concurrent("users without a team where the server requires a second factor by default", () => {
  it("are never asked for it: not to log in, to add devices or to remove an address", async () => {
    const { publicApi, internalApi: internal } = open;
    const phone = newPhone();
    const user = await registeredUser({ phone }, open);
    await activate({ phone }, open);
    const login = await logIn(user);
    expect(outcome(login)).toBe("200");
    expect(outcome(await logIn({ phone, password: user.password }))).toBe("200");
    const token: string = login.body.access_token;
    expect(outcome(await registerDevice({ token }, {}, { publicApi }))).toBe("201");
    const json = { password: user.password, action: "login" };
    expect(outcome(await internal("POST", `/i/users/${user.id}/reauthenticate`, { json }))).toBe("200");
    expect(outcome(await publicApi("DELETE", "/self/phone", { token, json: {} }))).toBe("200");
  });

  it("have none in what operators see, unlike members", async () => {
    const shown = async ({ id }: Pick<User, "id">) =>
      (await adminOf(open).resultOf("user", "show", id)).second_factor;
    expect(await shown(await newUser({}, open))).toBe("disabled");
    expect(await shown(await newMember({}, open))).toBe("enabled");
  });

  it("get no mail for a request for a code, which looks the same", async () => {
    const user = await newUser({}, open);
    expect(await request(user.email)).toMatchObject({ status: 200, body: "" });
    expect(await pendingCode(user)).toBeNull();
    // A later mail to a member shows that no other is on its way.
    const member = await newMember({}, open);
    await request(member.email);
    await nextMessage(member.email);
    expect(await purposesTo(user.email)).toEqual([]);
  });

  it("are asked once they have joined a team", async () => {
    const [user, team] = await Promise.all([newUser({}, open), newTeam({}, open)]);
    expect(outcome(await logIn(user))).toBe("200");
    await joinTeam(team, user, open);
    expect(outcome(await logIn(user))).toBe(required);
    expect(outcome(await registerDevice(user, {}, { publicApi: open.publicApi }))).toBe(required);
  });
});

describe.concurrent("re-authentication", () => {
  const prove = async ({ id }: Pick<User, "id">, json: object, apis: Apis = open) =>
    outcome(await apis.internalApi("POST", `/i/users/${id}/reauthenticate`, { json }));

  it("requires the password, and a code when an action is named", async () => {
    const user = await newMember({}, open);
    const { password } = user;
    expect(await prove(user, {})).toBe("403 missing-auth");
    expect(await prove(user, { password: "not the password" })).toBe("403 invalid-credentials");
    expect(await prove(user, { password })).toBe("200");
    expect(await prove(user, { password, action: "login" })).toBe(required);
    const code = await newCode(user);
    const proof = { password, action: "login" };
    expect(await prove(user, { ...proof, verification_code: wrongCode(code) })).toBe(failed);
    expect(await prove(user, { ...proof, verification_code: code })).toBe("200");
    expect(await prove(user, { ...proof, action: "delete_team", verification_code: code })).toBe(failed);
    expect(await prove(user, { ...proof, password: "not the password", verification_code: code })).toBe(
      "403 invalid-credentials",
    );
  });

  it("requires no code while no second factor is required", async () => {
    const user = await newUser();
    const json = { password: user.password, action: "login" };
    expect(await prove(user, json, { publicApi: api, internalApi })).toBe("200");
  });

  it("needs no password for a user without one, and refuses any", async () => {
    const phone = newPhone();
    const { body } = await register({ phone }, open);
    await activate({ phone }, open);
    await joinTeam(await newTeam({}, open), body, open);
    expect(await prove(body, {})).toBe("200");
    expect(await prove(body, { action: "login" })).toBe(required);
    expect(await prove(body, { password: somePassword })).toBe("403 invalid-credentials");
  });

  it("refuses suspended and unknown users", async () => {
    const user = await newMember({}, open);
    await open.internalApi("PUT", `/i/users/${user.id}/status`, { json: { status: "suspended" } });
    expect(await prove(user, { password: user.password })).toBe("403 suspended");
    expect(await prove({ id: randomUUID() }, {})).toBe("403 invalid-credentials");
  });

  it("accepts its body with GET, too", async () => {
    const user = await newUser();
    const get = (json: object) =>
      rawRequest(sharedStack().internalUrl, "GET", `/i/users/${user.id}/reauthenticate`, {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(json),
      });
    expect(await get({ password: user.password })).toEqual({ status: 200, body: "" });
    expect(await get({ password: "not the password" })).toMatchObject({ status: 403 });
    expect(await get({ password: 1 })).toMatchObject({ status: 400 });
    const { status } = await internalApi("HEAD", `/i/users/${user.id}/reauthenticate`);
    expect(status).toBe(405);
  });

  it("is not public", async () => {
    const path = `/i/users/${randomUUID()}/reauthenticate`;
    expect((await open.publicApi("POST", path, { json: {} })).status).toBe(404);
    expect((await open.publicApi("POST", `/v8${path}`, { json: {} })).status).toBe(404);
  });
});

describe("second-factor codes with limits", () => {
  it("are sent once per delay, address and action, with the same limits for unknown addresses", async () => {
    const user = await newMember({}, limited);
    const unknown = newEmail();
    for (const email of [user.email, unknown]) {
      expect(outcome(await request(email, { apis: limited }))).toBe("200");
      const refused = await request(email.replace("@", "+again@"), { apis: limited });
      expect(outcome(refused)).toBe("429 too-many-requests");
      expect(retryAfter(refused)).toBeGreaterThan(delaySeconds - 60);
      expect(retryAfter(refused)).toBeLessThanOrEqual(delaySeconds);
      expect(outcome(await request(email, { apis: limited, action: "delete_team" }))).toBe("200");
    }
    const code = await pendingCode(user, { apis: limited });
    limited.advance(delaySeconds - 100);
    const later = await request(user.email, { apis: limited });
    expect(outcome(later)).toBe("429 too-many-requests");
    expect(outcome(await logIn(user, code, limited))).toBe("200");
    limited.advance(retryAfter(later));
    expect(outcome(await request(user.email, { apis: limited }))).toBe("200");
    expect(outcome(await request(user.email, { apis: limited }))).toBe("429 too-many-requests");
    limited.advance(100);
    expect(outcome(await request(unknown, { apis: limited }))).toBe("200");
    expect(outcome(await request(unknown, { apis: limited }))).toBe("429 too-many-requests");
  });

  it("are refused as too many while other requests keep competing for them", async () => {
    limited.advance(600);
    const { id, email } = await newMember({}, limited);
    const endFaults = injectFaults(({ action, body }) =>
      action === "TransactWriteItems" && body.includes(`second-factor#${id}/`) ? "conflicts" : undefined,
    );
    const refused = await request(email, { apis: limited }).finally(endFaults);
    expect(outcome(refused)).toBe("429 too-many-requests");
    expect(retryAfter(refused)).toBe(delaySeconds);
    expect(outcome(await request(email, { apis: limited }))).toBe("200");
  });

  it("are sent once for 20 concurrent requests, with the same limit for unknown addresses", async () => {
    limited.advance(600);
    const user = await newMember({}, limited);
    for (const email of [user.email, newEmail()]) {
      const outcomes = (await concurrently(20, () => request(email, { apis: limited }))).map(outcome).sort();
      expect(outcomes).toEqual(["200", ...Array(19).fill("429 too-many-requests")]);
      limited.advance(600);
    }
    await nextMessage(user.email);
    expect(await purposesTo(user.email)).toEqual(["SecondFactorVerification"]);
  });

  it("expire after ten minutes", async () => {
    const user = await newMember({}, limited);
    const code = await newCode(user, { apis: limited });
    limited.advance(500);
    expect(outcome(await logIn(user, code, limited))).toBe("200");
    limited.advance(101);
    expect(outcome(await logIn(user, code, limited))).toBe(failed);
    expect(await pendingCode(user, { apis: limited })).toBeNull();
  });

  it("cannot be renewed endlessly by guessing", async () => {
    const user = await newMember({}, limited);
    for (let count = 0; count < 3; count++) {
      const code = await newCode(user, { apis: limited });
      expect(outcome(await logIn(user, wrongCode(code), limited))).toBe(failed);
      limited.advance(601);
    }
    const refused = await request(user.email, { apis: limited });
    expect(outcome(refused)).toBe("429 too-many-requests");
    limited.advance(retryAfter(refused));
    expect(outcome(await request(user.email, { apis: limited }))).toBe("200");
  });

  it("use the failed-login budget when they are wrong, but not when they are right or missing", async () => {
    const user = await newMember({}, limited);
    limited.advance(600);
    const code = await newCode(user, { apis: limited });
    for (let count = 0; count < 8; count++) expect(outcome(await logIn(user, code, limited))).toBe("200");
    for (let count = 0; count < 8; count++)
      expect(outcome(await logIn(user, undefined, limited))).toBe(required);
    for (let count = 0; count < 3; count++)
      expect(outcome(await logIn(user, wrongCode(code), limited))).toBe(failed);
    for (let count = 0; count < 2; count++) {
      const answer = await logIn({ ...user, password: "not the password" }, code, limited);
      expect(outcome(answer)).toBe("403 invalid-credentials");
    }
    const exhausted = await logIn(user, code, limited);
    expect(outcome(exhausted)).toBe("403 client-error");
    limited.advance(retryAfter(exhausted));
    expect(outcome(await logIn(user, code, limited))).toBe(failed);
  });

  it("are limited per network, whatever the address", async () => {
    limited.advance(600);
    let sent = 0;
    let refused = await request(newEmail(), { apis: limited });
    for (; outcome(refused) === "200"; sent++) refused = await request(newEmail(), { apis: limited });

    expect(sent).toBeGreaterThanOrEqual(60);
    expect(sent).toBeLessThan(90);
    expect(outcome(refused)).toBe("429 too-many-requests");
    expect(retryAfter(refused)).toBeLessThanOrEqual(10);
  });
});

/** Gives the owner of an address a handle without the API: a second claim beside the one on the address. */
async function withHandle({ prefix }: OwnStack, email: string): Promise<string> {
  const handle = `h${randomUUID().slice(0, 8)}`;
  const dynamo = DynamoDBDocumentClient.from(new DynamoDBClient());
  const TableName = `${prefix}-accounts`;
  const { Item } = await dynamo.send(
    new GetCommand({ TableName, Key: { pk: `email#${email}`, sk: "claim" } }),
  );
  await dynamo.send(new PutCommand({ TableName, Item: { ...Item, pk: `handle#${handle}` } }));
  dynamo.destroy();
  return handle;
}
