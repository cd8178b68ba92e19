import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, outcome } from "../../support/api.ts";
import { messagesTo, nextMessage, wrongCode } from "../../support/messages.ts";
import { stackWith } from "../../support/stack-with.ts";
import { partsOf } from "../../support/tokens.ts";
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

const daySeconds = 86_400;

describe.concurrent("registration", () => {
  it("returns 201 with the self profile, without the unconfirmed address", async () => {
    const { status, body, headers } = await register({ email: newEmail(), password: somePassword });

    expect(status).toBe(201);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      name: "Ada",
      accent_id: 0,
      assets: [],
      picture: [],
      locale: "en",
      managed_by: "svc",
    });
    expect(body).not.toHaveProperty("email");
    expect(body).not.toHaveProperty("expires_at");
    expect(headers.get("location")).toBe(body.id);
  });

  it("sets a persistent cookie for /access", async () => {
    const { setCookie, cookie, body } = await register({ email: newEmail() });

    const [, , expires, ...flags] = setCookie?.split("; ") ?? [];
    expect(setCookie).toMatch(/^zuid=[^;]+; path=\/access; Expires=/);
    expect(flags).toEqual(["HttpOnly", "Secure"]);
    const lifetimeSeconds = (Date.parse(expires?.slice("Expires=".length) ?? "") - Date.now()) / 1000;
    expect(Math.abs(lifetimeSeconds - 56 * daySeconds)).toBeLessThan(60);
    expect(partsOf(cookie)).toMatchObject({ v: "1", t: "u", l: "", u: body.id });
  });

  it("lets an account use its cookie and access token before activation", async () => {
    const { cookie, body } = await register({ email: newEmail(), password: somePassword });
    const access = await api("POST", "/access", { cookie });
    const self = await api("GET", "/self", { token: access.body.access_token });

    expect(self.body).toEqual(body);
  });

  it("gives the first cookie the label of the request", async () => {
    const { cookie } = await register({ email: newEmail(), label: "phone 7" });
    const access = await api("POST", "/access", { cookie });
    const { body } = await api("GET", "/cookies", { token: access.body.access_token });

    expect(body.cookies).toMatchObject([{ label: "phone 7", type: "persistent" }]);
  });

  it("keeps the optional profile fields", async () => {
    const profile = {
      accent_id: 7,
      locale: "de-CH",
      assets: [{ key: "3-1-abc", type: "image", size: "preview" }],
      picture: [{ info: { tag: "medium" } }],
      supported_protocols: ["proteus", "mls"],
    };
    const { body, cookie } = await register({ email: newEmail(), ...profile });
    expect(body).toMatchObject(profile);

    const access = await api("POST", "/access", { cookie });
    const self = await api("GET", "/self", { token: access.body.access_token });
    expect(self.body).toMatchObject(profile);
  });

  it("keeps any JSON in the deprecated picture", async () => {
    const nested = JSON.parse(`${'{"a":['.repeat(25)}1e300${"]}".repeat(25)}`);
    const picture = [nested, { "": "", big: 2 ** 60, quote: "\u0000\u2028" }];
    const { status, body } = await register({ email: newEmail(), picture });

    expect(status).toBe(201);
    expect(body.picture).toEqual(picture);
  });

  it("accepts names of 1 to 128 characters and passwords of 8 to 1024", async () => {
    const accepted = [
      { name: "x" },
      { name: "x".repeat(128) },
      { name: "🙂".repeat(128) },
      { password: "x".repeat(8) },
      { password: "x".repeat(1024) },
    ];
    for (const fields of accepted)
      expect(await register({ email: newEmail(), ...fields })).toMatchObject({ status: 201 });

    const refused = [
      { name: "" },
      { name: "x".repeat(129) },
      { name: undefined },
      { password: "x".repeat(7) },
      { password: "x".repeat(1025) },
    ];
    for (const fields of refused) {
      const { status, body } = await register({ email: newEmail(), ...fields });
      expect({ status, label: body.label }).toEqual({ status: 400, label: "bad-request" });
    }
  });

  it("refuses a malformed address with 400 invalid-email, and a malformed number with 400 invalid-phone", async () => {
    expect(outcome(await register({ email: "plain", password: somePassword }))).toBe("400 invalid-email");
    expect(outcome(await register({ phone: "123" }))).toBe("400 invalid-phone");
  });

  it("needs no token, and ignores one", async () => {
    const { status } = await api("POST", "/register", {
      json: { name: "Ada", email: newEmail() },
      token: "garbage",
    });
    expect(status).toBe(201);
  });

  it("mails an activation code", async () => {
    const email = newEmail();
    await register({ email });
    const { headers } = await nextMessage(email);

    expect(headers).toMatchObject(
      await activationCode({ email }).then(({ key, code }) => ({
        "X-Svc-Purpose": "Activation",
        "X-Svc-Key": key,
        "X-Svc-Code": code,
      })),
    );
  });

  it("creates an active account with the right email_code, and mails nothing more", async () => {
    const email = newEmail();
    await api("POST", "/activate/send", { json: { email } });
    const { code } = await activationCode({ email });
    const { status, body } = await register({ email, password: somePassword, email_code: code });

    expect(status).toBe(201);
    expect(body.email).toBe(email);
    expect((await logIn({ email, password: somePassword })).status).toBe(200);
    // A later message shows that none came in between.
    await api("POST", "/password-reset", { json: { email } });
    await nextMessage(email, { count: 2 });
    const purposes = (await messagesTo(email)).map(({ headers }) => headers["X-Svc-Purpose"]);
    expect(purposes.sort()).toEqual(["PasswordReset", "Verification"]);
  });

  it("returns 404 invalid-code for a wrong email_code, and creates nothing", async () => {
    const email = newEmail();
    await api("POST", "/activate/send", { json: { email } });
    const { code } = await activationCode({ email });
    const refused = await register({ email, password: somePassword, email_code: wrongCode(code) });

    expect({ status: refused.status, label: refused.body.label }).toEqual({
      status: 404,
      label: "invalid-code",
    });
    expect(refused.setCookie).toBeUndefined();
    expect((await register({ email, password: somePassword, email_code: code })).status).toBe(201);
  });

  it("refuses the right code after three wrong ones", async () => {
    const email = newEmail();
    await api("POST", "/activate/send", { json: { email } });
    const { code } = await activationCode({ email });
    for (let attempt = 0; attempt < 3; attempt++) await register({ email, email_code: wrongCode(code) });

    const { status, body } = await register({ email, email_code: code });
    expect({ status, label: body.label }).toEqual({ status: 404, label: "invalid-code" });
  });

  it("refuses a used code, and the code of another address", async () => {
    const [email, other] = [newEmail(), newEmail()];
    await api("POST", "/activate/send", { json: { email } });
    await api("POST", "/activate/send", { json: { email: other } });
    const { code } = await activationCode({ email });
    const { code: foreign } = await activationCode({ email: other });
    // Two of a million codes can be equal.
    if (foreign !== code) expect((await register({ email, email_code: foreign })).status).toBe(404);
    expect((await register({ email: newEmail(), email_code: code })).status).toBe(404);

    expect((await register({ email, email_code: code })).status).toBe(201);
    expect((await register({ email, email_code: code })).body.label).toBe("key-exists");
  });

  it("returns 409 key-exists for an activated address, in any spelling", async () => {
    const name = `ada-${randomUUID()}`;
    await newUser({ email: `${name}+work@example.com` });

    for (const spelling of [
      `${name}@example.com`,
      `${name}+home@EXAMPLE.com`,
      `${name.toUpperCase()}@example.com`,
    ]) {
      const { status, body } = await register({ email: spelling });
      expect({ status, label: body.label }).toEqual({ status: 409, label: "key-exists" });
      expect((await logIn({ email: spelling, password: somePassword })).status).toBe(200);
    }
  });

  it("accepts an unconfirmed address again, and gives it to the account that is activated", async () => {
    const email = newEmail();
    const first = await register({ email, password: "the first password" });
    const { code: firstCode } = await activationCode({ email });
    await nextMessage(email);
    const second = await register({ email, password: "the second password" });
    await nextMessage(email, { count: 2 });
    expect([first.status, second.status]).toEqual([201, 201]);

    expect((await activate({ email })).body).toEqual({ email, first: true });
    const late = await api("POST", "/activate", { json: { email, code: firstCode } });
    expect([204, 404, 409]).toContain(late.status);
    expect((await logIn({ email, password: "the first password" })).status).toBe(403);
    expect((await logIn({ email, password: "the second password" })).body.user).toBe(second.body.id);
  });

  it("returns 400 invalid-invitation-code for an unknown invitation, and 403 missing-identity without an address", async () => {
    const unknown = await register({ email: newEmail(), password: somePassword, team_code: "unknown" });
    expect({ status: unknown.status, label: unknown.body.label }).toEqual({
      status: 400,
      label: "invalid-invitation-code",
    });

    const nameless = await register({ password: somePassword, invitation_code: "unknown" });
    expect({ status: nameless.status, label: nameless.body.label }).toEqual({
      status: 403,
      label: "missing-identity",
    });
  });

  it("sends a code to both address and number, either of which activates the account", async () => {
    const [email, phone] = [newEmail(), newPhone()];
    const { body } = await register({ email, phone, password: somePassword });
    await Promise.all([nextMessage(email), nextMessage(phone)]);

    expect((await activate({ phone })).body).toEqual({ phone, first: true });
    expect((await activate({ email })).body).toEqual({ email, first: false });
    const login = await logIn({ email, password: somePassword });
    const self = await api("GET", "/self", { token: login.body.access_token });
    expect(self.body).toMatchObject({ id: body.id, email, phone });
  });
});

describe.concurrent("registration with settings", () => {
  it("refuses personal users and team creators, but not anonymous ones, when creation is restricted", async () => {
    const apis = await stackWith({ setRestrictUserCreation: true });
    const refused = [
      { email: newEmail() },
      { phone: newPhone() },
      { email: newEmail(), password: somePassword, team: { name: "Team", icon: "default" } },
    ];
    for (const fields of refused) {
      const { status, body } = await register(fields, apis);
      expect({ status, label: body.label }).toEqual({ status: 403, label: "user-creation-restricted" });
    }
    expect((await register({}, apis)).status).toBe(201);
  });

  it("refuses only anonymous accounts when they are disabled", async () => {
    const apis = await stackWith({ setEphemeralUserCreationEnabled: false });
    const { status, body } = await register({}, apis);

    expect({ status, label: body.label }).toEqual({ status: 403, label: "ephemeral-user-creation-disabled" });
    expect((await register({ email: newEmail() }, apis)).status).toBe(201);
  });

  it("treats each suffix in a trusted domain as a different person", async () => {
    const apis = await stackWith({ setTrustedSuffixDomains: ["trusted.example"] });
    await newUser({ email: "ada+1@trusted.example" }, apis);
    await newUser({ email: "ada+1@example.com" }, apis);

    expect((await register({ email: "ada+2@trusted.example" }, apis)).status).toBe(201);
    expect((await register({ email: "ada+2@example.com" }, apis)).status).toBe(409);
  });

  it("uses the default locale, the vendor word and the domains of the settings", async () => {
    const apis = await stackWith({
      vendor: "acme",
      setDefaultUserLocale: "fr_CA",
      domain: "chat.example",
      setCookieDomain: "example.com",
    });
    const { body, setCookie } = await register({ email: newEmail() }, apis);

    expect(body).toMatchObject({
      managed_by: "acme",
      locale: "fr-CA",
      qualified_id: { domain: "chat.example", id: body.id },
    });
    expect(setCookie).toContain("; Domain=example.com; ");
  });
});
