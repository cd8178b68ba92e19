import { describe, expect, it } from "vitest";
import { type DeliverableMessage, mailMessageSchema } from "#shared/codes/mail/message.ts";
import { parseSettings, type SettingsInput } from "#shared/registry/settings.ts";
import { type Locale, locales } from "./choose-locale.ts";
import { type RenderedEmail, type RenderedSms, renderMessage, UnsafeHeaderError } from "./render-message.ts";

const address = "ada@example.org";
const phone = "+491701234567";
const codeOf = <const Purpose extends string>(purpose: Purpose) => ({ purpose, codeKey: "k-_1", nonce: "n" });

const account = {
  name: "Ada Lovelace",
  isActivated: false,
  requestedAt: "2026-01-31T14:05:09.000Z",
  isContested: true,
};
const emails = {
  verification: { template: "verification", to: address, code: codeOf("activation") },
  activation: {
    template: "activation",
    to: address,
    key: "k-_1",
    code: codeOf("activation"),
    account,
  },
  "team-activation": {
    template: "team-activation",
    to: address,
    key: "k-_1",
    code: codeOf("activation"),
    account: { ...account, team: "Engines" },
  },
  "password-reset": { template: "password-reset", to: address, key: "k-_1", code: codeOf("password-reset") },
  "second-factor": { template: "second-factor", to: address, code: codeOf("second-factor") },
  deletion: { template: "deletion", to: address, key: "k-_1", code: codeOf("deletion") },
  "provider-activation": {
    template: "provider-activation",
    to: address,
    key: "k-_1",
    code: codeOf("provider-activation"),
    account,
  },
  "provider-email-change": {
    template: "provider-email-change",
    to: address,
    key: "k-_1",
    code: codeOf("provider-activation"),
    account: { ...account, isActivated: true },
  },
  "provider-password-reset": {
    template: "provider-password-reset",
    to: address,
    key: "k-_1",
    code: codeOf("provider-password-reset"),
  },
} as const satisfies Record<string, DeliverableMessage>;

const newDevice = {
  template: "new-device",
  to: address,
  device: { label: "Ada’s phone", model: "Fairphone 5" },
  addedAt: "2026-01-31T14:05:09.000Z",
} as const satisfies DeliverableMessage;

const welcome = {
  template: "welcome",
  to: address,
  name: "Ada Lovelace",
  team: { teamId: "0b5a4f8e-6f0c-4c5e-9d6f-3f1a2b4c5d6e", name: "Engines" },
} as const satisfies DeliverableMessage;

const invited = {
  to: address,
  inviter: "bob@example.org",
  invitationId: "5c9d1f9a-7b52-4d0c-8d0b-1f2e3d4c5b6a",
  team: welcome.team,
};
const invitations = {
  "team-invitation": { template: "team-invitation", ...invited },
  "team-invitation-existing": { template: "team-invitation-existing", ...invited },
} as const satisfies Record<string, DeliverableMessage>;

const providerChange = {
  template: "identity-provider-changed",
  to: address,
  team: welcome.team,
  admin: "Ada Lovelace",
  providerId: "7a9e8d7c-1b52-4d0c-8d0b-1f2e3d4c5b6a",
  before: {
    issuer: "https://idp.example.org/old",
    requestUri: "https://idp.example.org/login",
    certificates: ["AA:01", "BB:02"],
  },
  after: {
    issuer: "https://idp.example.org/new",
    requestUri: "https://idp.example.org/login",
    certificates: ["BB:02", "CC:03"],
  },
} as const satisfies DeliverableMessage;

const sms = {
  "activation-sms": { template: "activation-sms", to: phone, code: codeOf("activation") },
  "login-sms": { template: "login-sms", to: phone, code: codeOf("login") },
  "password-reset-sms": { template: "password-reset-sms", to: phone, code: codeOf("password-reset") },
} as const satisfies Record<string, DeliverableMessage>;

interface RenderOptions extends SettingsInput {
  readonly code?: string;
}

function render(message: DeliverableMessage, { code = "012345", ...settings }: RenderOptions = {}) {
  return renderMessage(message, {
    code,
    settings: parseSettings(settings),
    publicUrl: "https://api.example.org",
  });
}

const renderEmail = (message: DeliverableMessage, options?: RenderOptions) =>
  render(message, options) as RenderedEmail & { html: string };
const renderSms = (message: DeliverableMessage, options?: RenderOptions) =>
  render(message, options) as RenderedSms;

const everyLocale = Object.keys(locales) as Locale[];
const everyEmail = everyLocale.flatMap((locale) =>
  Object.values(emails).map((message) => ({ ...message, locale })),
);
const everyNewDevice = everyLocale.map((locale) => ({ ...newDevice, locale }));
const everyWelcome = everyLocale.map((locale) => ({ ...welcome, locale }));
const everyInvitation = everyLocale.flatMap((locale) =>
  Object.values(invitations).map((message) => ({ ...message, locale })),
);
const everyProviderChange = everyLocale.map((locale) => ({ ...providerChange, locale }));
const everySms = everyLocale.flatMap((locale) =>
  Object.values(sms).map((message) => ({ ...message, locale })),
);

const shortLived = ["login", "password-reset", "second-factor", "deletion"] as const;
const lifetimesOf = (activation: string, others: string, [day, hour]: readonly [string, string]) => ({
  activation,
  "provider-activation": day,
  "provider-password-reset": hour,
  ...(Object.fromEntries(shortLived.map((purpose) => [purpose, others])) as Record<
    (typeof shortLived)[number],
    string
  >),
});
const lifetimes = {
  en: lifetimesOf("14 days", "10 minutes", ["1 day", "1 hour"]),
  de: lifetimesOf("14 Tage", "10 Minuten", ["1 Tag", "1 Stunde"]),
  fr: lifetimesOf("14 jours", "10 minutes", ["1 jour", "1 heure"]),
  es: lifetimesOf("14 días", "10 minutos", ["1 día", "1 hora"]),
};
const times = {
  en: "Added: January 31, 2026 at 14:05 UTC",
  de: "Hinzugefügt: 31. Januar 2026 um 14:05 UTC",
  fr: "Ajouté : 31 janvier 2026 à 14:05 UTC",
  es: "Añadido: 31 de enero de 2026 a las 14:05 UTC",
};

const plainSpaces = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, " ");
const words = (markup: string) =>
  plainSpaces(markup.replace(/<style>.*<\/style>/s, "").replaceAll(/<[^>]*>/g, "\n"))
    .replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
    .split("\n")
    .filter((line) => line !== "");

function expectSameInBothParts(text: string, html: string): void {
  const said = plainSpaces(text).split(/\n+/);
  for (const line of said.filter((line) => !line.startsWith("https:") && line !== "-- " && line !== ""))
    expect(words(html)).toContain(line);
}

describe("an email", () => {
  it.each(everyEmail)("has the same content in text and HTML ($template in $locale)", (message) => {
    const { kind, to, subject, text, html } = renderEmail(message);
    expect({ kind, to }).toEqual({ kind: "email", to: address });
    expect(subject).toContain("Parley");
    expect(text.match(/^012345$/gm)).toHaveLength(1);
    expect(words(html).filter((line) => line === "012345")).toHaveLength(1);
    expect(plainSpaces(text)).toContain(lifetimes[message.locale][message.code.purpose]);
    expectSameInBothParts(text, html);
    expect(html).toContain(`<html lang="${message.locale}" dir="ltr">`);
  });

  it.each(everyNewDevice)(
    "states label, model and time in text and HTML ($template in $locale)",
    (message) => {
      const { to, subject, text, html, headers } = renderEmail(message, { code: "" });
      expect(to).toBe(address);
      expect(subject).toContain("Parley");
      const said = plainSpaces(text);
      expect(said).toContain("Ada’s phone\n");
      expect(said).toContain("Fairphone 5\n");
      expect(said).toContain(`\n${times[message.locale]}\n`);
      expectSameInBothParts(text, html);
      expect(html).not.toContain('class="code"');
      expect(headers).toEqual({ "X-Svc-Purpose": "NewDevice", "Auto-Submitted": "auto-generated" });
    },
  );

  it.each(everyLocale)("tells a provider that it is active, without code and link (%s)", (locale) => {
    const { subject, text, html, headers } = renderEmail({
      template: "provider-approved",
      to: address,
      locale,
    });
    expect(subject).toContain("Parley");
    expect(text).not.toContain("https:");
    expectSameInBothParts(text, html);
    expect(headers).toEqual({
      "X-Svc-Purpose": "ProviderApprovalConfirm",
      "Auto-Submitted": "auto-generated",
    });
  });

  it.each(everyWelcome)("states member and team, and opens the web app ($template in $locale)", (message) => {
    const { subject, text, html, headers } = renderEmail(message, { webAppUrl: "https://app.example.org" });
    expect(subject).toContain("Parley");
    for (const fact of ["Ada Lovelace", address, "Engines", welcome.team.teamId]) {
      expect(plainSpaces(text)).toMatch(new RegExp(`: ${fact}$`, "m"));
    }
    expect(text).toContain("\nhttps://app.example.org\n");
    expect(html).toContain('href="https://app.example.org"');
    expectSameInBothParts(text, html);
    expect(headers).toEqual({ "X-Svc-Purpose": "Welcome", "Auto-Submitted": "auto-generated" });
  });

  it.each(everyInvitation)(
    "states inviter, team and lifetime, and links to the page of the code ($template in $locale)",
    (message) => {
      const code = "aZ09_-aZ09_-aZ09_-aZ09_-aZ09_-aZ";
      const { subject, text, html, headers } = renderEmail(message, { code });
      expect(subject).toContain("Parley");
      for (const fact of ["bob@example.org", "Engines"])
        expect(plainSpaces(text)).toMatch(new RegExp(`: ${fact}$`, "m"));
      expect(plainSpaces(text)).toMatch(/ 21 (days|Tage|jours|días)/);
      expect(text).toContain(`\nhttps://api.example.org/activate/join?team-code=${code}\n`);
      expect(html).toContain(`href="https://api.example.org/activate/join?team-code=${code}"`);
      expectSameInBothParts(text, html);
      expect(html).not.toContain('class="code"');
      expect(headers).toEqual({
        "X-Svc-Purpose": "TeamInvitation",
        "X-Svc-Code": code,
        "Auto-Submitted": "auto-generated",
      });
    },
  );

  it.each(everyProviderChange)(
    "states the change of an identity provider ($template in $locale)",
    (message) => {
      const { subject, text, html, headers } = renderEmail(message);
      expect(subject).toContain("Parley");
      const { issuer, requestUri } = message.after;
      for (const fact of [
        message.providerId,
        "Engines",
        "Ada Lovelace",
        issuer,
        requestUri,
        message.before.issuer,
      ])
        expect(plainSpaces(text)).toMatch(new RegExp(`: ${fact}$`, "m"));
      expect(text.match(/: (AA:01|CC:03)$/gm)).toHaveLength(2);
      expect(text).not.toContain("BB:02");
      expectSameInBothParts(text, html);
      expect(headers).toEqual({ "X-Svc-Purpose": "IdPChange", "Auto-Submitted": "auto-generated" });
    },
  );

  it("states all keys of a new or deleted identity provider", () => {
    const created = renderEmail({ ...providerChange, before: undefined, admin: undefined });
    expect(created.text).toContain("New identity provider");
    expect(created.text.match(/Added certificate/g)).toHaveLength(2);
    expect(created.text).not.toMatch(/Former|By:/);
    const deleted = renderEmail({ ...providerChange, after: undefined });
    expect(deleted.text).toContain("Deleted identity provider");
    expect(deleted.text.match(/Removed certificate/g)).toHaveLength(2);
  });

  it("links to the pages that the operator names, with code and team where the address has placeholders for them", () => {
    const setTeamInvitationUrls = {
      newUser: "https://teams.example.org/register?team={team}&team_code={code}",
      existingUser: "https://teams.example.org/accept-invitation/?team-code={code}",
    };
    const textOf = (message: DeliverableMessage) =>
      renderEmail(message, { code: "c-_1", setTeamInvitationUrls }).text;
    expect(textOf(invitations["team-invitation"])).toContain(
      `\nhttps://teams.example.org/register?team=${invited.team.teamId}&team_code=c-_1\n`,
    );
    expect(textOf(invitations["team-invitation-existing"])).toContain(
      "\nhttps://teams.example.org/accept-invitation/?team-code=c-_1\n",
    );
  });

  it("has no link to the web app when none is configured", () => {
    const { text, html } = renderEmail(welcome);
    expect(text + html).not.toMatch(/https?:|undefined/);
  });

  it("repeats the name of a team only as far as it contains neither a link nor a message", () => {
    const team = "Acme: pay at https://evil.example";
    const { text } = renderEmail({ ...emails["team-activation"], account: { ...account, team } });
    expect(text).toContain("\nNew team: Acme…\n");
    for (const message of [welcome, invitations["team-invitation"]]) {
      const { text } = renderEmail({ ...message, team: { ...message.team, name: team } });
      expect(text).toContain("\nTeam: Acme…\n");
    }
  });

  it("omits the label and the model of a new device when they are blank or missing", () => {
    const { text, html } = renderEmail({ ...newDevice, device: { label: " \n" } });
    expect(text).not.toMatch(/Name:|Model:/);
    expect(html).not.toMatch(/Name:|Model:/);
    expect(text).toContain("Added: January 31");
  });

  it("shows label and model of a new device as one short line each, and not in its headers", () => {
    const label = "x\r\n\r\nYour account is locked.\u2028Call\u202e\u0000us";
    const { text, subject, headers } = renderEmail({
      ...newDevice,
      device: { label, model: "💬".repeat(5000) },
    });
    expect(text).toContain("\nName: x Your account is locked. Call us\n");
    expect(text).toContain(`\nModel: ${"💬".repeat(64)}…\n`);
    expect(subject + JSON.stringify(headers)).not.toMatch(/locked|💬/);
  });

  it("escapes the label and the model of a new device", () => {
    const device = { label: `<script>alert("1")</script>`, model: `'&<b>` };
    const { text, html } = renderEmail({ ...newDevice, device });
    expect(text).toContain(device.label);
    expect(html).not.toMatch(/<script|<b>|&(?!#\d+;)/);
    expect(html).toContain("Model: &#39;&#38;&#60;b&#62;");
  });

  it.each([...everyEmail, ...everyNewDevice, ...everyWelcome])(
    "loads nothing and links to nothing but the service ($template in $locale)",
    (message) => {
      const { html } = renderEmail(message);
      expect(html).not.toMatch(/\bsrc=|url\(|@import|<(link|img|script|iframe|base)\b/);
      const urls = html.match(/https?:[^"]*/g) ?? [];
      const unlinked = ["verification", "second-factor", "new-device", "welcome"];
      expect(urls).toHaveLength(unlinked.includes(message.template) ? 0 : 1);
    },
  );

  it("names purpose, key and code in vendor headers", () => {
    const automatic = { "Auto-Submitted": "auto-generated" };
    expect(renderEmail(emails.verification).headers).toEqual({
      "X-Svc-Purpose": "Verification",
      "X-Svc-Code": "012345",
      ...automatic,
    });
    expect(renderEmail(emails.activation).headers).toEqual({
      "X-Svc-Purpose": "Activation",
      "X-Svc-Key": "k-_1",
      "X-Svc-Code": "012345",
      ...automatic,
    });
    expect(renderEmail(emails["password-reset"], { vendor: "acme" }).headers).toEqual({
      "X-Acme-Purpose": "PasswordReset",
      "X-Acme-Key": "k-_1",
      "X-Acme-Code": "012345",
      ...automatic,
    });
    expect(renderEmail(emails["second-factor"]).headers).toEqual({
      "X-Svc-Purpose": "SecondFactorVerification",
      "X-Svc-Code": "012345",
      ...automatic,
    });
    expect(renderEmail(emails.deletion).headers).toEqual({
      "X-Svc-Purpose": "Delete",
      "X-Svc-Key": "k-_1",
      "X-Svc-Code": "012345",
      ...automatic,
    });
  });

  it("links to the deletion page with key and code, and keeps its long code on one line", () => {
    const code = "aZ09_-aZ09_-aZ09_-aZ";
    const { text, html } = renderEmail(emails.deletion, { code });
    expect(text).toContain(`\nhttps://api.example.org/delete?key=k-_1&code=${code}\n`);
    expect(html).toContain(`href="https://api.example.org/delete?key=k-_1&#38;code=${code}"`);
    expect(html).toMatch(new RegExp(`class="code" style="[^"]*white-space:nowrap[^"]*">${code}<`));
  });

  it("links to the activation page with key and code encoded", () => {
    const { text, html } = renderEmail({ ...emails.activation, key: "a+b/c=&d" });
    expect(text).toContain("\nhttps://api.example.org/activate/confirm?key=a%2Bb%2Fc%3D%26d&code=012345\n");
    expect(html).toContain(
      'href="https://api.example.org/activate/confirm?key=a%2Bb%2Fc%3D%26d&#38;code=012345"',
    );
  });

  it.each([...everyEmail, ...everyNewDevice, ...everyWelcome, ...everyInvitation])(
    "escapes the product name and the address ($template in $locale)",
    (message) => {
      const { text, html } = renderEmail(
        { ...message, to: "o'neil&<i>@example.org" },
        { productName: `<b>"&'` },
      );
      expect(text).toContain(`<b>"&'`);
      expect(text).toContain("o'neil&<i>@example.org");
      expect(html).toContain("&#60;b&#62;&#34;&#38;&#39;");
      expect(html).toContain("o&#39;neil&#38;&#60;i&#62;@example.org");
      expect(html).not.toMatch(/<b>|<i>|"&'|&(?!#\d+;)/);
    },
  );

  it("has the product name in its sender address", () => {
    const from = (productName: string) => renderEmail(emails.verification, { productName }).from;
    expect(from("Parley")).toBe('"Parley" <no-reply@parley.localhost>');
    expect(from('A "b" \\ <c@d.e>')).toBe(String.raw`"A \"b\" \\ <c@d.e>" <no-reply@parley.localhost>`);
    expect(from("Grüße")).toBe("=?UTF-8?B?R3LDvMOfZQ==?= <no-reply@parley.localhost>");
  });

  it("encodes a long product name as short words that decode to it", () => {
    const name = "Plauderstübchen 💬 ".repeat(3).trim();
    const { from } = renderEmail(emails.verification, { productName: name });
    const encoded = from.split(" ").slice(0, -1);
    expect(Math.max(...encoded.map((word) => word.length))).toBeLessThanOrEqual(75);
    expect(encoded.map((word) => Buffer.from(word.slice(10, -2), "base64").toString()).join("")).toBe(name);
  });

  it.each([
    ["the address", () => renderEmail({ ...emails.activation, to: "a@b.c\r\nBcc: x@y.z" })],
    ["the key", () => renderEmail({ ...emails.activation, key: "k\r\nBcc: x@y.z" })],
    ["the code", () => renderEmail(emails.verification, { code: "1\nBcc: x@y.z" })],
  ])("is refused when %s contains a line break", (_, rendering) => {
    expect(rendering).toThrow(UnsafeHeaderError);
  });
});

describe("an SMS", () => {
  it.each(everySms)("contains code and lifetime ($template in $locale)", (message) => {
    const { kind, to, text } = renderSms(message);
    expect({ kind, to }).toEqual({ kind: "sms", to: phone });
    expect(text).toMatch(/\b012345\b/);
    expect(text).toContain("Parley");
    expect(text).toContain(lifetimes[message.locale][message.code.purpose]);
  });

  it.each(everySms)(
    "fits into one message, or two where the GSM alphabet does not suffice ($template in $locale)",
    (message) => {
      const { text } = renderSms(message);
      const isGsm = /^[\w @£$¥èéùìòÇØøÅåÆæßÉ!"#¤%&'()*+,\-./:;<=>?¡ÄÖÑÜ§¿äöñüà]*$/.test(text);
      expect(isGsm).toBe(message.locale !== "es");
      expect(text.length).toBeLessThanOrEqual(isGsm ? 160 : 2 * 67);
    },
  );
});

describe("the locale of a message", () => {
  const subject = (locale: string | undefined, setDefaultTemplateLocale?: string) =>
    renderEmail({ ...emails.verification, locale }, { setDefaultTemplateLocale }).subject;
  const german = "Ihr Bestätigungscode für Parley";
  const english = "Your Parley verification code";

  it.each([
    ["the requested locale", "de", "fr", german],
    ["the requested locale in another spelling", "DE_ch", "fr", german],
    ["the language of the requested locale", "de-CH", "fr", german],
    ["the default for an unknown locale", "nl", "DE", german],
    ["the language of the default", undefined, "de-AT", german],
    ["English when neither is known", "nl", "it", english],
    ["English for nonsense", "constructor", undefined, english],
  ])("is %s", (_, requested, fallback, expected) => {
    expect(subject(requested, fallback)).toBe(expected);
  });
});

describe("the lifetime in a message", () => {
  const text = (setLoginCodeTimeout: number) => renderSms(sms["login-sms"], { setLoginCodeTimeout }).text;

  it.each([
    [86_400, "1 day"],
    [7200, "2 hours"],
    [5400, "90 minutes"],
    [45, "45 seconds"],
  ])("of %i s reads %s", (lifetimeSeconds, expected) => {
    expect(text(lifetimeSeconds)).toContain(`up to ${expected}.`);
  });
});

describe("the message format", () => {
  it.each([
    ...Object.values(emails),
    newDevice,
    welcome,
    ...Object.values(invitations),
    ...Object.values(sms),
  ])("accepts $template", (message) => {
    expect(mailMessageSchema.parse(message)).toEqual(message);
  });

  it.each([
    ["an address with a line break", { ...emails.verification, to: "a@b.c\r\nBcc:x@y.z" }],
    ["a phone number without a plus sign", { ...sms["login-sms"], to: "491701234567" }],
    ["a code in plain text", { ...emails.verification, code: "012345" }],
    ["a code for another purpose", { ...sms["login-sms"], code: codeOf("activation") }],
    ["an activation without a key", { ...emails.activation, key: undefined }],
    ["a deletion without a key", { ...emails.deletion, key: undefined }],
    ["a new device without a time", { ...newDevice, addedAt: undefined }],
  ])("refuses %s", (_, message) => {
    expect(mailMessageSchema.safeParse(message).success).toBe(false);
  });
});

describe("the mail to the operator's auditor", () => {
  const audit = {
    template: "domain-audit",
    to: address,
    domain: "example.com",
    call: "lock",
    before: "null",
    after: '{\n  "domain_redirect": "locked"\n}',
  } as const satisfies DeliverableMessage;

  it("is plain text with both registrations, marked by its purpose", () => {
    const { html, ...mail } = render(audit) as RenderedEmail;
    expect(html).toBeUndefined();
    expect(mail).toMatchObject({
      to: address,
      subject: "Registration of example.com changed: lock",
      headers: { "X-Svc-Purpose": "audit" },
      text: `Domain: example.com\nCall: lock\n\nBefore:\nnull\n\nAfter:\n${audit.after}\n`,
    });
    expect(mailMessageSchema.safeParse(audit).success).toBe(true);
  });
});
