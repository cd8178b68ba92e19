import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../support/api.ts";
import { messagesTo, nextMessage, wrongCode } from "../support/messages.ts";
import { ownStack } from "../support/own-stack.ts";
import {
  activate,
  activationCode,
  logIn,
  newEmail,
  newPhone,
  newUser,
  register,
  somePassword,
} from "../support/users.ts";

const sendCode = (json: object) => api("POST", "/activate/send", { json });
const redeem = (json: object) => api("POST", "/activate", { json });

describe.concurrent("sending an activation code", () => {
  it("answers 200 without a body and mails the code under the purpose Verification", async () => {
    const email = newEmail();
    const { status, body } = await sendCode({ email });
    const { headers } = await nextMessage(email);

    expect({ status, body }).toEqual({ status: 200, body: "" });
    expect(headers["X-Svc-Purpose"]).toBe("Verification");
    expect(headers["X-Svc-Code"]).toMatch(/^\d{6}$/);
    expect(headers).not.toHaveProperty("X-Svc-Key");
  });

  it("again sends the same code again and does not reset its tries", async () => {
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

  it("of a registered account sends that account's activation again", async () => {
    const email = newEmail();
    await register({ email });
    const first = await nextMessage(email);
    await sendCode({ email: email.toUpperCase() });
    const second = await nextMessage(email, { count: 2 });

    expect(second.headers).toEqual(first.headers);
    expect(second.headers["X-Svc-Purpose"]).toBe("Activation");
  });

  it("for an activated address is 409 key-exists", async () => {
    const { email } = await newUser();
    expect(outcome(await sendCode({ email }))).toBe("409 key-exists");
    expect(outcome(await sendCode({ email: email.replace("@", "+x@") }))).toBe("409 key-exists");
  });

  it("needs exactly one of e-mail and phone, and takes locale and voice_call", async () => {
    expect(outcome(await sendCode({}))).toBe("400 bad-request");
    expect(outcome(await sendCode({ email: newEmail(), phone: newPhone() }))).toBe("400 bad-request");
    expect(outcome(await sendCode({ email: newEmail(), locale: "nonsense!" }))).toBe("400 bad-request");
    expect(outcome(await sendCode({ phone: newPhone(), locale: "de", voice_call: true }))).toBe("200");
  });

  it("refuses what is no address or number", async () => {
    expect(outcome(await sendCode({ email: "nobody" }))).toBe("400 invalid-email");
    expect(outcome(await sendCode({ phone: "12" }))).toBe("400 invalid-phone");
  });
});

describe.concurrent("activation", () => {
  it("by address answers the address and that it is the first, and lets the user log in", async () => {
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

  it("by the key of the mail needs no address, and the key beats one", async () => {
    const email = newEmail();
    await register({ email });
    const { headers } = await nextMessage(email);
    const { "X-Svc-Key": key, "X-Svc-Code": code } = headers;

    expect((await redeem({ key, email: newEmail(), phone: newPhone(), code })).body).toEqual({
      email,
      first: true,
    });
  });

  it("by GET with key and code is done at once", async () => {
    const email = newEmail();
    await register({ email });
    const path = `/activate?${new URLSearchParams(await activationCode({ email }))}`;

    expect((await api("GET", path)).body).toEqual({ email, first: true });
    expect(outcome(await api("GET", path))).toBe("204");
  });

  it("again is 204", async () => {
    const email = newEmail();
    await register({ email });
    const { key, code } = await activationCode({ email });
    await redeem({ email, code });

    for (const by of [{ email }, { key }]) {
      expect(await redeem({ ...by, code })).toMatchObject({ status: 204, body: "" });
    }
  });

  it("after a registration that brought its code along is 204", async () => {
    const email = newEmail();
    await sendCode({ email });
    const { code } = await activationCode({ email });
    await register({ email, email_code: code });

    expect(outcome(await redeem({ email, code }))).toBe("204");
  });

  it("with three wrong codes kills the right one", async () => {
    const email = newEmail();
    await register({ email });
    const { code } = await activationCode({ email });
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(outcome(await redeem({ email, code: wrongCode(code) }))).toBe("404 invalid-code");
    }
    expect(outcome(await redeem({ email, code }))).toBe("404 invalid-code");
  });

  it("with two wrong codes still takes the right one", async () => {
    const email = newEmail();
    await register({ email });
    const { code } = await activationCode({ email });
    for (let attempt = 0; attempt < 2; attempt++) await redeem({ email, code: wrongCode(code) });

    expect(outcome(await redeem({ email, code }))).toBe("200");
  });

  it("works with a code sent after the first one was used up by wrong tries", async () => {
    const email = newEmail();
    await sendCode({ email });
    const { code } = await activationCode({ email });
    for (let attempt = 0; attempt < 3; attempt++)
      await redeem({ email, code: wrongCode(code), dryrun: true });
    await sendCode({ email });

    expect(outcome(await redeem({ email, ...(await activationCode({ email })), dryrun: true }))).toBe("200");
  });

  it.each(["12345", "1234567", "abcdef", "１２３４５６", " ", "000000\u0000"])(
    "with the code %j, which is none, is a wrong try",
    async (code) => {
      const email = newEmail();
      await register({ email });
      expect(outcome(await redeem({ email, code }))).toBe("404 invalid-code");
    },
  );

  it("of an unknown address or key is 404 invalid-code", async () => {
    expect(outcome(await redeem({ email: newEmail(), code: "123456" }))).toBe("404 invalid-code");
    expect(outcome(await redeem({ phone: newPhone(), code: "123456" }))).toBe("404 invalid-code");
    expect(outcome(await redeem({ key: randomUUID(), code: "123456" }))).toBe("404 invalid-code");
    expect(outcome(await api("GET", `/activate?key=${randomUUID()}&code=123456`))).toBe("404 invalid-code");
  });

  it("needs a code, and one of key, address and number in its syntax", async () => {
    expect(outcome(await redeem({ code: "123456" }))).toBe("400 bad-request");
    expect(outcome(await redeem({ email: newEmail() }))).toBe("400 bad-request");
    expect(outcome(await redeem({ email: "nobody", code: "123456" }))).toBe("400 invalid-email");
    expect(outcome(await redeem({ phone: "12", code: "123456" }))).toBe("400 invalid-phone");
    expect(outcome(await api("GET", "/activate?code=123456"))).toBe("400 bad-request");
  });

  it("of a suspended account is 404 invalid-code", async () => {
    const email = newEmail();
    const { body } = await register({ email });
    await internalApi("PUT", `/i/users/${body.id}/status`, { json: { status: "suspended" } });

    expect(outcome(await activate({ email }))).toBe("404 invalid-code");
  });

  it("by a code without an account behind it is 404 invalid-code, and the code stays good", async () => {
    const email = newEmail();
    await sendCode({ email });
    const { code } = await activationCode({ email });
    for (let attempt = 0; attempt < 4; attempt++) {
      expect(outcome(await redeem({ email, code }))).toBe("404 invalid-code");
    }
    expect((await register({ email, email_code: code })).status).toBe(201);
  });

  it("is over when the code expires, and a new one can be sent", async () => {
    const apis = await ownStack();
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
  it("with the right code is 200 without a body and changes nothing", async () => {
    const email = newEmail();
    await register({ email, password: somePassword });
    const { code } = await activationCode({ email });
    for (let attempt = 0; attempt < 4; attempt++) {
      expect(await redeem({ email, code, dryrun: true })).toMatchObject({ status: 200, body: "" });
    }

    expect(outcome(await logIn({ email, password: somePassword }))).toBe("403 pending-activation");
    expect((await redeem({ email, code })).body).toEqual({ email, first: true });
  });

  it("works for an address without an account", async () => {
    const email = newEmail();
    await sendCode({ email });
    const { code } = await activationCode({ email });

    expect(outcome(await redeem({ email, code, dryrun: true }))).toBe("200");
    expect((await register({ email, email_code: code })).body.email).toBe(email);
  });

  it("with a wrong code counts as a try", async () => {
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
