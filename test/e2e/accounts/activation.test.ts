import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { messagesTo, nextMessage, wrongCode } from "../../support/messages.ts";
import { stackWith } from "../../support/stack-with.ts";
import {
  activate,
  activationCode,
  logIn,
  newEmail,
  newPhone,
  newUser,
  register,
  somePassword,
} from "../../support/users.ts";

const sendCode = (json: object) => api("POST", "/activate/send", { json });
const redeem = (json: object) => api("POST", "/activate", { json });

describe.concurrent("POST /activate/send", () => {
  it("returns 200 without a body and mails the code with the purpose Verification", async () => {
    const email = newEmail();
    const { status, body } = await sendCode({ email });
    const { headers } = await nextMessage(email);

    expect({ status, body }).toEqual({ status: 200, body: "" });
    expect(headers["X-Svc-Purpose"]).toBe("Verification");
    expect(headers["X-Svc-Code"]).toMatch(/^\d{6}$/);
    expect(headers).not.toHaveProperty("X-Svc-Key");
  });

  it("sends the pending code again without resetting its attempts", async () => {
    const email = newEmail();
    await sendCode({ email });
    const { code } = await activationCode({ email });
    for (let attempt = 0; attempt < 2; attempt++)
      await redeem({ email, code: wrongCode(code), dryrun: true });
    await sendCode({ email });
    await nextMessage(email, { count: 2 });

    const codes = (await messagesTo(email)).map(({ headers }) => headers["X-Svc-Code"]);
    expect(codes).toEqual([code, code]);
    expect(outcome(await redeem({ email, code: wrongCode(code), dryrun: true }))).toBe("404 invalid-code");
    expect(outcome(await redeem({ email, code, dryrun: true }))).toBe("404 invalid-code");
  });

  it("sends the activation of a registered account again", async () => {
    const email = newEmail();
    await register({ email });
    const first = await nextMessage(email);
    await sendCode({ email: email.toUpperCase() });
    const second = await nextMessage(email, { count: 2 });

    expect(second.headers).toEqual(first.headers);
    expect(second.headers["X-Svc-Purpose"]).toBe("Activation");
  });

  it("returns 409 key-exists for an activated address", async () => {
    const { email } = await newUser();
    expect(outcome(await sendCode({ email }))).toBe("409 key-exists");
    expect(outcome(await sendCode({ email: email.replace("@", "+x@") }))).toBe("409 key-exists");
  });

  it("requires exactly one of email and phone, and accepts locale and voice_call", async () => {
    expect(outcome(await sendCode({}))).toBe("400 bad-request");
    expect(outcome(await sendCode({ email: newEmail(), phone: newPhone() }))).toBe("400 bad-request");
    expect(outcome(await sendCode({ email: newEmail(), locale: "nonsense!" }))).toBe("400 bad-request");
    expect(outcome(await sendCode({ phone: newPhone(), locale: "de", voice_call: true }))).toBe("200");
  });

  it("refuses a malformed address or number", async () => {
    expect(outcome(await sendCode({ email: "nobody" }))).toBe("400 invalid-email");
    expect(outcome(await sendCode({ phone: "12" }))).toBe("400 invalid-phone");
  });
});

describe.concurrent("activation", () => {
  it("returns the address with first: true, and lets the user log in", async () => {
    const email = newEmail();
    const { body } = await register({ email, password: somePassword });
    const { code } = await activationCode({ email });
    const activated = await redeem({ email, code });

    expect(activated).toMatchObject({ status: 200, body: { email, first: true } });
    const login = await logIn({ email, password: somePassword });
    const self = await api("GET", "/self", { token: login.body.access_token });
    const { email_unvalidated, ...profile } = body;
    expect(email_unvalidated).toBe(email);
    expect(self.body).toEqual({ ...profile, email });
  });

  it("needs only the mailed key, which takes precedence over an address", async () => {
    const email = newEmail();
    await register({ email });
    const { headers } = await nextMessage(email);
    const { "X-Svc-Key": key, "X-Svc-Code": code } = headers;

    expect((await redeem({ key, email: newEmail(), phone: newPhone(), code })).body).toEqual({
      email,
      first: true,
    });
  });

  it("takes effect immediately on GET with key and code, and returns 204 when repeated", async () => {
    const email = newEmail();
    await register({ email });
    const path = `/activate?${new URLSearchParams(await activationCode({ email }))}`;

    expect((await api("GET", path)).body).toEqual({ email, first: true });
    expect(outcome(await api("GET", path))).toBe("204");
  });

  it("returns 204 when repeated", async () => {
    const email = newEmail();
    await register({ email });
    const { key, code } = await activationCode({ email });
    await redeem({ email, code });

    for (const by of [{ email }, { key }]) {
      expect(await redeem({ ...by, code })).toMatchObject({ status: 204, body: "" });
    }
  });

  it("returns 204 after a registration that included the code", async () => {
    const email = newEmail();
    await sendCode({ email });
    const { code } = await activationCode({ email });
    await register({ email, email_code: code });

    expect(outcome(await redeem({ email, code }))).toBe("204");
  });

  it("refuses the right code after three wrong ones", async () => {
    const email = newEmail();
    await register({ email });
    const { code } = await activationCode({ email });
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(outcome(await redeem({ email, code: wrongCode(code) }))).toBe("404 invalid-code");
    }
    expect(outcome(await redeem({ email, code }))).toBe("404 invalid-code");
  });

  it("accepts the right code after two wrong ones", async () => {
    const email = newEmail();
    await register({ email });
    const { code } = await activationCode({ email });
    for (let attempt = 0; attempt < 2; attempt++) await redeem({ email, code: wrongCode(code) });

    expect(outcome(await redeem({ email, code }))).toBe("200");
  });

  it("accepts a new code after wrong attempts have used up the first", async () => {
    const email = newEmail();
    await sendCode({ email });
    const { code } = await activationCode({ email });
    for (let attempt = 0; attempt < 3; attempt++)
      await redeem({ email, code: wrongCode(code), dryrun: true });
    await sendCode({ email });

    expect(outcome(await redeem({ email, ...(await activationCode({ email })), dryrun: true }))).toBe("200");
  });

  it.each(["12345", "1234567", "abcdef", "１２３４５６", " ", "000000\u0000"])(
    "refuses the malformed code %j with 404 invalid-code",
    async (code) => {
      const email = newEmail();
      await register({ email });
      expect(outcome(await redeem({ email, code }))).toBe("404 invalid-code");
    },
  );

  it("returns 404 invalid-code for an unknown address, number or key", async () => {
    expect(outcome(await redeem({ email: newEmail(), code: "123456" }))).toBe("404 invalid-code");
    expect(outcome(await redeem({ phone: newPhone(), code: "123456" }))).toBe("404 invalid-code");
    expect(outcome(await redeem({ key: randomUUID(), code: "123456" }))).toBe("404 invalid-code");
    expect(outcome(await api("GET", `/activate?key=${randomUUID()}&code=123456`))).toBe("404 invalid-code");
  });

  it("requires a code, and a well-formed key, address or number", async () => {
    expect(outcome(await redeem({ code: "123456" }))).toBe("400 bad-request");
    expect(outcome(await redeem({ email: newEmail() }))).toBe("400 bad-request");
    expect(outcome(await redeem({ email: "nobody", code: "123456" }))).toBe("400 invalid-email");
    expect(outcome(await redeem({ phone: "12", code: "123456" }))).toBe("400 invalid-phone");
    expect(outcome(await api("GET", "/activate?code=123456"))).toBe("400 bad-request");
  });

  it("returns 404 invalid-code for a suspended account", async () => {
    const email = newEmail();
    const { body } = await register({ email });
    await internalApi("PUT", `/i/users/${body.id}/status`, { json: { status: "suspended" } });

    expect(outcome(await activate({ email }))).toBe("404 invalid-code");
  });

  it("returns 404 invalid-code for a code without an account, and keeps the code valid", async () => {
    const email = newEmail();
    await sendCode({ email });
    const { code } = await activationCode({ email });
    for (let attempt = 0; attempt < 4; attempt++) {
      expect(outcome(await redeem({ email, code }))).toBe("404 invalid-code");
    }
    expect((await register({ email, email_code: code })).status).toBe(201);
  });

  it("refuses an expired code, and accepts a new one", async () => {
    const apis = await stackWith();
    const email = newEmail();
    await register({ email }, apis);
    const { code } = await activationCode({ email }, apis);
    apis.advance(14 * 86_400 + 1);

    expect(outcome(await apis.publicApi("POST", "/activate", { json: { email, code } }))).toBe(
      "404 invalid-code",
    );
    expect(outcome(await apis.internalApi("GET", `/i/users/activation-code?email=${email}`))).toBe(
      "404 not-found",
    );
    await apis.publicApi("POST", "/activate/send", { json: { email } });
    const { code: next } = await activationCode({ email }, apis);
    expect(
      outcome(await apis.publicApi("POST", "/activate", { json: { email, code: next, dryrun: true } })),
    ).toBe("200");
  });
});

describe.concurrent("a dry run", () => {
  it("returns 200 without a body for the right code and changes nothing", async () => {
    const email = newEmail();
    await register({ email, password: somePassword });
    const { code } = await activationCode({ email });
    for (let attempt = 0; attempt < 4; attempt++) {
      expect(await redeem({ email, code, dryrun: true })).toMatchObject({ status: 200, body: "" });
    }

    expect(outcome(await logIn({ email, password: somePassword }))).toBe("403 pending-activation");
    expect((await redeem({ email, code })).body).toEqual({ email, first: true });
  });

  it("accepts the code of an address without an account", async () => {
    const email = newEmail();
    await sendCode({ email });
    const { code } = await activationCode({ email });

    expect(outcome(await redeem({ email, code, dryrun: true }))).toBe("200");
    expect((await register({ email, email_code: code })).body.email).toBe(email);
  });

  it("counts a wrong code as an attempt", async () => {
    const email = newEmail();
    await register({ email });
    const { code } = await activationCode({ email });
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(outcome(await redeem({ email, code: wrongCode(code), dryrun: true }))).toBe("404 invalid-code");
    }
    expect(outcome(await redeem({ email, code, dryrun: true }))).toBe("404 invalid-code");
    expect(outcome(await redeem({ email, code }))).toBe("404 invalid-code");
  });
});
