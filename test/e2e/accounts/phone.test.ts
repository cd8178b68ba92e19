import { describe, expect, it } from "vitest";
import { api, internalApi, outcome } from "../../support/api.ts";
import { codeIn, messagesTo, nextMessage, wrongCode } from "../../support/messages.ts";
import { stackWith } from "../../support/stack-with.ts";
import { activate, activationCode, newPhone, register, somePassword } from "../../support/users.ts";

const send = (json: object, prefix = "") => api("POST", `${prefix}/login/send`, { json });
const login = (json: object) => api("POST", "/login", { json });

async function newPhoneUser({ password }: { password?: string } = {}) {
  const phone = newPhone();
  const { body } = await register({ phone, password });
  await activate({ phone });
  await nextMessage(phone);
  return { phone, id: body.id as string };
}

async function loginCode(phone: string): Promise<string> {
  const { body } = await internalApi("GET", `/i/users/login-code?${new URLSearchParams({ phone })}`);
  return body.code;
}

describe.concurrent("a phone number", () => {
  it("is registered, activated with the code from an SMS, and shown in the profile", async () => {
    const phone = newPhone();
    const registered = await register({ phone });
    expect(registered.body).not.toHaveProperty("phone");
    const code = codeIn(await nextMessage(phone));
    const activated = await api("POST", "/activate", { json: { phone, code } });

    expect(activated).toMatchObject({ status: 200, body: { phone, first: true } });
    const { body } = await api("POST", "/access", { cookie: registered.cookie });
    const self = await api("GET", "/self", { token: body.access_token });
    expect(self.body).toEqual({ ...registered.body, phone });
  });

  it("is active immediately with the right phone_code", async () => {
    const phone = newPhone();
    await api("POST", "/activate/send", { json: { phone } });
    const code = codeIn(await nextMessage(phone));
    expect(outcome(await register({ phone, phone_code: wrongCode(code) }))).toBe("404 invalid-code");

    expect((await register({ phone, phone_code: code })).body.phone).toBe(phone);
    expect(outcome(await register({ phone }))).toBe("409 key-exists");
  });

  it("logs in with a password", async () => {
    const { phone, id } = await newPhoneUser({ password: somePassword });
    expect((await login({ phone, password: somePassword })).body.user).toBe(id);
    expect(outcome(await login({ phone, password: "not the password" }))).toBe("403 invalid-credentials");
  });

  it("returns 403 pending-activation at login before its activation", async () => {
    const phone = newPhone();
    await register({ phone, password: somePassword });
    expect(outcome(await login({ phone, password: somePassword }))).toBe("403 pending-activation");
  });

  it("resets a password by SMS, without a key", async () => {
    const { phone } = await newPhoneUser({ password: somePassword });
    expect((await api("POST", "/password-reset", { json: { phone } })).status).toBe(201);
    const message = await nextMessage(phone, { count: 2 });
    expect(message).toMatchObject({ kind: "sms", headers: {} });
    const json = { phone, code: codeIn(message), password: "a new password" };

    expect((await api("POST", "/password-reset/complete", { json })).status).toBe(200);
    expect((await login({ phone, password: "a new password" })).status).toBe(200);
  });
});

describe.concurrent("login by SMS", () => {
  it.each(["", "/v5", "/v8"])("sends a code under %j and states its lifetime", async (prefix) => {
    const { phone } = await newPhoneUser();
    const { status, body } = await send({ phone }, prefix);

    expect(status).toBe(200);
    expect(body.expires_in).toBeGreaterThan(590);
    expect(body.expires_in).toBeLessThanOrEqual(600);
    expect(codeIn(await nextMessage(phone, { count: 2 }))).toBe(await loginCode(phone));
  });

  it("accepts the code only once", async () => {
    const { phone, id } = await newPhoneUser();
    await send({ phone });
    const code = await loginCode(phone);
    const { status, body, cookie } = await login({ phone, code, label: "phone" });

    expect({ status, user: body.user }).toEqual({ status: 200, user: id });
    expect((await api("POST", "/access", { cookie })).status).toBe(200);
    expect(outcome(await login({ phone, code }))).toBe("403 invalid-credentials");
    expect(outcome(await internalApi("GET", `/i/users/login-code?${new URLSearchParams({ phone })}`))).toBe(
      "404 no-pending-login",
    );
  });

  it("sends the pending code again", async () => {
    const { phone } = await newPhoneUser();
    await send({ phone });
    await send({ phone });
    await nextMessage(phone, { count: 3 });

    const [second, first] = (await messagesTo(phone)).map(codeIn);
    expect(second).toBe(first);
  });

  it("refuses the right code after three wrong ones, until a new one is sent", async () => {
    const { phone } = await newPhoneUser();
    await send({ phone });
    const code = await loginCode(phone);
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(outcome(await login({ phone, code: wrongCode(code) }))).toBe("403 invalid-credentials");
    }
    expect(outcome(await login({ phone, code }))).toBe("403 invalid-credentials");

    await send({ phone });
    expect((await login({ phone, code: await loginCode(phone) })).status).toBe(200);
  });

  it("accepts no code of another purpose, and none that was not sent", async () => {
    const phone = newPhone();
    await register({ phone });
    const { code } = await activationCode({ phone });
    await activate({ phone });

    for (const candidate of [code, "123456"]) {
      expect(outcome(await login({ phone, code: candidate }))).toBe("403 invalid-credentials");
    }
  });

  it("refuses the code after 10 minutes", async () => {
    const apis = await stackWith();
    const phone = newPhone();
    await register({ phone }, apis);
    await activate({ phone }, apis);
    await apis.publicApi("POST", "/login/send", { json: { phone } });
    const { body } = await apis.internalApi("GET", `/i/users/login-code?${new URLSearchParams({ phone })}`);
    apis.advance(601);

    expect(outcome(await apis.publicApi("POST", "/login", { json: { phone, code: body.code } }))).toBe(
      "403 invalid-credentials",
    );
  });

  it("returns 400 invalid-phone for a malformed number, or one without an active account", async () => {
    const pending = newPhone();
    await register({ phone: pending });
    const suspended = await newPhoneUser();
    await internalApi("PUT", `/i/users/${suspended.id}/status`, { json: { status: "suspended" } });

    for (const phone of ["12", newPhone(), pending, suspended.phone]) {
      expect(outcome(await send({ phone }))).toBe("400 invalid-phone");
    }
  });

  it("returns 403 password-exists for an account with a password, unless forced", async () => {
    const { phone } = await newPhoneUser({ password: somePassword });
    expect(outcome(await send({ phone, force: false }))).toBe("403 password-exists");
    expect(outcome(await send({ phone, force: true }))).toBe("200");
    expect(outcome(await send({ phone: (await newPhoneUser()).phone, force: false }))).toBe("200");
  });

  it("returns 403 blacklisted-phone for a blocked number", async () => {
    const { phone } = await newPhoneUser();
    await internalApi("POST", `/i/users/blacklist?${new URLSearchParams({ phone })}`);
    expect(outcome(await send({ phone }))).toBe("403 blacklisted-phone");
  });

  it("returns 403 suspended for a suspended account, but only with the right code", async () => {
    const { phone, id } = await newPhoneUser();
    await send({ phone });
    const code = await loginCode(phone);
    await internalApi("PUT", `/i/users/${id}/status`, { json: { status: "suspended" } });

    expect(outcome(await login({ phone, code }))).toBe("403 suspended");
    expect(outcome(await login({ phone, code: wrongCode(code) }))).toBe("403 invalid-credentials");
  });
});
