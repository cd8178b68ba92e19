import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { api, internalApi, outcome } from "../../support/api.ts";
import { messagesTo, nextMessage, wrongCode } from "../../support/messages.ts";
import { stackWith } from "../../support/stack-with.ts";
import {
  type Address,
  logIn,
  newEmail,
  newPhone,
  newUser,
  register,
  registeredUser,
  somePassword,
} from "../../support/users.ts";

/** Longer than anything that a test waits for. */
const longestTestSeconds = 120;

const newPassword = "a new password";
const request = (json: object, prefix = "") => api("POST", `${prefix}/password-reset`, { json });
const complete = (json: object) => api("POST", "/password-reset/complete", { json });

async function pendingReset(address: Address): Promise<{ key: string; code: string }> {
  const { body } = await internalApi("GET", `/i/users/password-reset-code?${new URLSearchParams(address)}`);
  return body;
}

describe.concurrent("requesting a password reset", () => {
  it("returns 201 without a body and mails key and code", async () => {
    const { email } = await registeredUser();
    await nextMessage(email);
    const { status, body } = await request({ email });
    const { headers } = await nextMessage(email, { count: 2 });

    expect({ status, body }).toEqual({ status: 201, body: "" });
    const { key, code } = await pendingReset({ email });
    expect(headers).toMatchObject({ "X-Svc-Purpose": "PasswordReset", "X-Svc-Key": key, "X-Svc-Code": code });
    expect(code).toMatch(/^\d{6}$/);
  });

  it.each(["", "/v0", "/v5"])(
    "returns 409 code-exists with Retry-After under %j while one is pending",
    async (prefix) => {
      const { email } = await newUser();
      await request({ email });
      const again = await request({ email }, prefix);

      expect(outcome(again)).toBe("409 code-exists");
      const seconds = Number(again.headers.get("retry-after"));
      expect(seconds).toBeGreaterThan(600 - longestTestSeconds);
      expect(seconds).toBeLessThanOrEqual(600);
    },
  );

  it.each(["/v6", "/v8"])("returns 201 and mails nothing under %j while one is pending", async (prefix) => {
    const { email } = await registeredUser();
    await request({ email });
    const { code } = await pendingReset({ email });
    expect(outcome(await request({ email }, prefix))).toBe("201");
    expect((await pendingReset({ email })).code).toBe(code);
    await complete({ email, code, password: newPassword });

    // The next request's mail shows that none came in between.
    await request({ email }, prefix);
    await nextMessage(email, { count: 3 });
    const purposes = (await messagesTo(email)).map(({ headers }) => headers["X-Svc-Purpose"]);
    expect(purposes.sort()).toEqual(["Activation", "PasswordReset", "PasswordReset"]);
  });

  it("treats an unknown address like a known one, but mails nothing", async () => {
    const email = newEmail();
    expect(outcome(await request({ email }))).toBe("201");
    expect(outcome(await request({ email }))).toBe("409 code-exists");
    expect(outcome(await request({ email }, "/v8"))).toBe("201");
    for (let attempt = 0; attempt < 4; attempt++) {
      expect(outcome(await complete({ email, code: "123456", password: newPassword }))).toBe(
        "400 invalid-code",
      );
    }
    expect(outcome(await request({ email }))).toBe("201");
    expect(outcome(await internalApi("GET", `/i/users/password-reset-code?email=${email}`))).toBe(
      "400 invalid-key",
    );
    expect(await messagesTo(email)).toEqual([]);
  });

  it("creates no code for accounts that are suspended or were never activated", async () => {
    const suspended = await newUser();
    await internalApi("PUT", `/i/users/${suspended.id}/status`, { json: { status: "suspended" } });
    const pending = newEmail();
    await register({ email: pending, password: somePassword });

    for (const email of [suspended.email, pending]) {
      expect(outcome(await request({ email }))).toBe("201");
      expect(outcome(await internalApi("GET", `/i/users/password-reset-code?email=${email}`))).toBe(
        "400 invalid-key",
      );
    }
  });

  it("requires exactly one well-formed email address or phone number", async () => {
    expect(outcome(await request({}))).toBe("400 bad-request");
    expect(outcome(await request({ email: newEmail(), phone: newPhone() }))).toBe("400 bad-request");
    expect(outcome(await request({ phone: "12" }))).toBe("400 invalid-phone");
    expect(outcome(await request({ email: "nobody" }))).toBe("400 invalid-email");
  });
});

describe.concurrent("completing a password reset", () => {
  it("sets the new password and revokes all cookies", async () => {
    const user = await newUser();
    const { cookie: other } = await logIn(user);
    await request({ email: user.email });
    const { code } = await pendingReset(user);
    const completed = await complete({ email: user.email, code, password: newPassword });

    expect(completed).toMatchObject({ status: 200, body: "" });
    for (const cookie of [user.cookie, other]) {
      expect(outcome(await api("POST", "/access", { cookie }))).toBe("403 invalid-credentials");
    }
    expect(outcome(await logIn(user))).toBe("403 invalid-credentials");
    expect(outcome(await logIn({ ...user, password: newPassword }))).toBe("200");
  });

  it("uses up the code", async () => {
    const { email } = await newUser();
    await request({ email });
    const { code } = await pendingReset({ email });
    await complete({ email, code, password: newPassword });

    expect(outcome(await complete({ email, code, password: "another password" }))).toBe("400 invalid-code");
    expect(outcome(await request({ email }))).toBe("201");
  });

  it("accepts the key from the mail, also in the path up to version 7", async () => {
    const user = await newUser();
    await request({ email: user.email });
    const { key, code } = await pendingReset(user);
    const json = { code, password: newPassword };
    expect((await api("POST", `/v8/password-reset/${key}`, { json })).status).toBe(404);
    expect(outcome(await complete({ key, code, password: newPassword }))).toBe("200");

    await request({ email: user.email });
    const next = await pendingReset(user);
    const legacy = { code: next.code, password: "another password" };
    expect(outcome(await api("POST", `/v7/password-reset/${next.key}`, { json: legacy }))).toBe("200");
    expect(outcome(await logIn({ ...user, password: "another password" }))).toBe("200");
  });

  it("refuses the current password with 409 password-must-differ and keeps the code valid", async () => {
    const { email, password } = await newUser();
    await request({ email });
    const { code } = await pendingReset({ email });
    for (let attempt = 0; attempt < 4; attempt++) {
      expect(outcome(await complete({ email, code, password }))).toBe("409 password-must-differ");
    }
    expect(outcome(await complete({ email, code, password: newPassword }))).toBe("200");

    await request({ email });
    const next = await pendingReset({ email });
    expect(outcome(await complete({ email, code: next.code, password: newPassword }))).toBe(
      "409 password-must-differ",
    );
  });

  it("refuses the right code after three wrong ones, until a new reset is requested", async () => {
    const { email } = await newUser();
    await request({ email });
    const { code } = await pendingReset({ email });
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(outcome(await complete({ email, code: wrongCode(code), password: newPassword }))).toBe(
        "400 invalid-code",
      );
    }
    expect(outcome(await complete({ email, code, password: newPassword }))).toBe("400 invalid-code");

    expect(outcome(await request({ email }))).toBe("201");
    const next = await pendingReset({ email });
    expect(outcome(await complete({ email, code: next.code, password: newPassword }))).toBe("200");
  });

  it("refuses a password that is too short without counting an attempt", async () => {
    const { email } = await newUser();
    await request({ email });
    const { code } = await pendingReset({ email });
    for (let attempt = 0; attempt < 4; attempt++) {
      expect(outcome(await complete({ email, code, password: "1234567" }))).toBe("400 bad-request");
    }
    expect(outcome(await complete({ email, code, password: "12345678" }))).toBe("200");
  });

  it("requires exactly one of key, email and phone", async () => {
    const rest = { code: "123456", password: newPassword };
    expect(outcome(await complete(rest))).toBe("400 bad-request");
    expect(outcome(await complete({ ...rest, key: "x", email: newEmail() }))).toBe("400 bad-request");
    expect(outcome(await complete({ ...rest, key: "unknown" }))).toBe("400 invalid-code");
  });

  it("returns 400 invalid-code for an account that was suspended meanwhile", async () => {
    const { email, id } = await newUser();
    await request({ email });
    const { code } = await pendingReset({ email });
    await internalApi("PUT", `/i/users/${id}/status`, { json: { status: "suspended" } });

    expect(outcome(await complete({ email, code, password: newPassword }))).toBe("400 invalid-code");
  });

  it("refuses the code after 10 minutes, when a new one can be requested", async () => {
    const apis = await stackWith();
    const { email } = await newUser({}, apis);
    const find = async () =>
      (await apis.internalApi("GET", `/i/users/password-reset-code?email=${email}`)).body;
    const finish = (code: string) =>
      apis.publicApi("POST", "/password-reset/complete", { json: { email, code, password: newPassword } });
    await apis.publicApi("POST", "/password-reset", { json: { email } });
    const { code } = await find();
    apis.advance(601);

    expect(outcome(await finish(code))).toBe("400 invalid-code");
    expect((await apis.publicApi("POST", "/password-reset", { json: { email } })).status).toBe(201);
    expect(outcome(await finish((await find()).code))).toBe("200");
  });

  it("accepts a code that an earlier version stored, by each of its keys", async () => {
    const apis = await stackWith();
    for (const isOfMail of [true, false]) {
      const { email } = await newUser({}, apis);
      await apis.publicApi("POST", "/password-reset", { json: { email } });
      const path = `/i/users/password-reset-code?email=${email}`;
      const { key, code } = (await apis.internalApi("GET", path)).body;
      const [derived] = key.split(".");
      await createDynamo().send(
        new UpdateCommand({
          TableName: `${apis.prefix}-codes`,
          Key: { codeKey: `password-reset#${derived}` },
          UpdateExpression: "REMOVE earlier",
          ConditionExpression: "attribute_exists(earlier)",
        }),
      );
      const json = { key: isOfMail ? key : derived, password: newPassword };
      const tried = (candidate: string) =>
        apis.publicApi("POST", "/password-reset/complete", { json: { ...json, code: candidate } });
      expect(outcome(await tried(wrongCode(code)))).toBe("400 invalid-code");
      expect(outcome(await tried(code))).toBe("200");
    }
  });

  it("works for an account that never had a password", async () => {
    const email = newEmail();
    await api("POST", "/activate/send", { json: { email } });
    const { body } = await internalApi("GET", `/i/users/activation-code?email=${email}`);
    await register({ email, email_code: body.code });
    await request({ email });
    const { code } = await pendingReset({ email });

    expect(outcome(await complete({ email, code, password: newPassword }))).toBe("200");
    expect(outcome(await logIn({ email, password: newPassword }))).toBe("200");
  });
});
