import { describe, expect, it } from "vitest";
import { api } from "../../support/api.ts";
import { codeIn, type Message, nextMessage } from "../../support/messages.ts";
import { stackWith } from "../../support/stack-with.ts";
import { newMember } from "../../support/teams.ts";
import { activate, newEmail, newPhone, register, registeredUser } from "../../support/users.ts";

/** Vendor headers, sorted by name. */
const vendorHeaders = ({ headers }: Message, prefix = "X-Svc-") =>
  Object.entries(headers)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name]) => name)
    .sort();

const codePattern = /^\d{6}$/;

describe.concurrent("a mail", () => {
  it("has purpose and code, but no key, for /activate/send", async () => {
    const email = newEmail();
    await api("POST", "/activate/send", { json: { email } });
    const message = await nextMessage(email);

    expect(vendorHeaders(message)).toEqual(["X-Svc-Code", "X-Svc-Purpose"]);
    expect(message.headers["X-Svc-Purpose"]).toBe("Verification");
  });

  it("has purpose, key and code for /register", async () => {
    const email = newEmail();
    await register({ email });
    const message = await nextMessage(email);

    expect(vendorHeaders(message)).toEqual(["X-Svc-Code", "X-Svc-Key", "X-Svc-Purpose"]);
    expect(message.headers["X-Svc-Purpose"]).toBe("Activation");
  });

  it("has purpose, key and code for a password reset", async () => {
    const { email } = await registeredUser();
    await nextMessage(email);
    await api("POST", "/password-reset", { json: { email } });
    const message = await nextMessage(email, { count: 2 });

    expect(vendorHeaders(message)).toEqual(["X-Svc-Code", "X-Svc-Key", "X-Svc-Purpose"]);
    expect(message.headers["X-Svc-Purpose"]).toBe("PasswordReset");
  });

  it("has the code in its headers, text and HTML", async () => {
    const email = newEmail();
    await register({ email });
    const { headers, text, html } = await nextMessage(email);
    const code = headers["X-Svc-Code"] ?? "";

    expect(code).toMatch(codePattern);
    expect(text).toContain(code);
    expect(html).toContain(code);
  });

  it("is sent to the address as it was written", async () => {
    const email = newEmail().replace("user", "Ada.User+Tag");
    await register({ email });
    expect((await nextMessage(email)).to).toBe(email);
  });

  it("is in the language of the registration or of the request for a code", async () => {
    const [registered, requested, unknown] = [newEmail(), newEmail(), newEmail()];
    await register({ email: registered, locale: "de-CH" });
    await api("POST", "/activate/send", { json: { email: requested, locale: "fr" } });
    await register({ email: unknown, locale: "tlh" });

    expect((await nextMessage(registered)).html).toContain('lang="de"');
    expect((await nextMessage(requested)).html).toContain('lang="fr"');
    expect((await nextMessage(unknown)).html).toContain('lang="en"');
  });

  it("never repeats the name of the user", async () => {
    const email = newEmail();
    await register({ email, name: '<img src=x onerror="alert(1)">\r\nBcc: eve@example.com' });
    const { text, html, headers, subject } = await nextMessage(email);

    expect(JSON.stringify({ text, html, headers, subject })).not.toMatch(/onerror|eve@example/);
  });
});

describe.concurrent("an SMS", () => {
  it("has the code and no headers", async () => {
    const phone = newPhone();
    await register({ phone });
    const message = await nextMessage(phone);

    expect(message).toMatchObject({ kind: "sms", headers: {} });
    expect(codeIn(message)).toMatch(codePattern);
    expect(message.text.length).toBeLessThanOrEqual(160);
  });

  it("is in the language of the account", async () => {
    const phone = newPhone();
    await register({ phone, locale: "de" });
    expect((await nextMessage(phone)).text).toContain("Aktivierungscode");
    await activate({ phone });
    await api("POST", "/login/send", { json: { phone } });
    expect((await nextMessage(phone, { count: 2 })).text).toContain("Anmeldecode");
  });
});

describe.concurrent("mails with settings", () => {
  it("carry the vendor word in their headers and come from the configured sender", async () => {
    const apis = await stackWith({
      vendor: "acme",
      emailSender: "robot@acme.example",
      productName: "Acme Chat",
      sndFactorPasswordChallenge: { defaults: { status: "enabled" } },
    });
    const email = newEmail();
    await register({ email }, apis);
    const message = await nextMessage(email);

    expect(vendorHeaders(message, "X-Acme-")).toEqual(["X-Acme-Code", "X-Acme-Key", "X-Acme-Purpose"]);
    expect(vendorHeaders(message)).toEqual([]);
    expect(message.from).toBe('"Acme Chat" <robot@acme.example>');
    expect(message.subject).toContain("Acme Chat");

    const member = await newMember({}, apis);
    const json = { action: "login", email: member.email };
    await apis.publicApi("POST", "/verification-code/send", { json });
    const secondFactor = await nextMessage(member.email);
    expect(vendorHeaders(secondFactor, "X-Acme-")).toEqual(["X-Acme-Code", "X-Acme-Purpose"]);
    expect(secondFactor.headers["X-Acme-Purpose"]).toBe("SecondFactorVerification");
    expect(secondFactor.headers["X-Acme-Code"]).toMatch(codePattern);
  });

  it("escape a hostile product name", async () => {
    const apis = await stackWith({ productName: '</title><script>alert("1")</script>&\'' });
    const email = newEmail();
    await register({ email }, apis);
    const { html, text } = await nextMessage(email);

    expect(html).not.toContain("<script");
    expect(html).toContain("&#60;script&#62;");
    expect(text).toContain('</title><script>alert("1")</script>');
  });

  it("fall back to the configured locale", async () => {
    const apis = await stackWith({ setDefaultTemplateLocale: "ES" });
    const email = newEmail();
    await apis.publicApi("POST", "/activate/send", { json: { email } });

    expect((await nextMessage(email)).html).toContain('lang="es"');
  });

  it("link to the public address", async () => {
    const apis = await stackWith({ publicUrl: "https://chat.example/base/" });
    const email = newEmail();
    await register({ email }, apis);
    const { text, headers } = await nextMessage(email);

    expect(text).toContain(
      `https://chat.example/base/activate/confirm?key=${headers["X-Svc-Key"]}&code=${headers["X-Svc-Code"]}`,
    );
  });
});
