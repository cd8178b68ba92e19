import type { CodePurpose } from "#shared/codes/code.ts";
import type {
  AuditMessage,
  DeliverableMessage,
  EmailMessage,
  SmsMessage,
} from "#shared/codes/mail/message.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { providerCodeLifetimes } from "#shared/services/provider.ts";
import { invitationUrl } from "#shared/teams/invitation-mail.ts";
import { chooseLocale, type Locale, locales } from "./choose-locale.ts";
import {
  describeAccount,
  describeDevice,
  describeIdentityProvider,
  describeInvitation,
  describeMember,
  describeWebhook,
  lifetimeInWords,
  nameInSms,
} from "./describe.ts";
import { htmlPart, plainTextPart } from "./email-layout.ts";
import { type EmailTemplateSpec, type EmailText, emailTemplates } from "./texts.ts";

export interface RenderedEmail {
  readonly kind: "email";
  readonly to: string;
  /** Mailbox with the product as its name, ready for a `From` header. */
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  /** Absent for a mail in plain text. */
  readonly html?: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface RenderedSms {
  readonly kind: "sms";
  readonly to: string;
  readonly text: string;
}

export interface RenderContext {
  /** Code derived from the message; empty for a message without one. */
  readonly code: string;
  readonly settings: Settings;
  /** Base address of the public API, without trailing slash. */
  readonly publicUrl: string;
}

/** Thrown instead of sending an email whose header fields contain a line break or another control character. */
export class UnsafeHeaderError extends Error {
  override readonly name = "UnsafeHeaderError";
}

/**
 * Render a message in the language of its recipient, ready to send.
 *
 * @throws UnsafeHeaderError for a control character in an address, the product name, the key or the code
 */
export function renderMessage(
  message: DeliverableMessage,
  context: RenderContext,
): RenderedEmail | RenderedSms {
  if (message.template === "domain-audit") return renderAudit(message, context);
  return isEmail(message) ? renderEmail(message, context) : renderSms(message, context);
}

function factsOf(message: EmailMessage, language: Locale, settings: Settings): string[] {
  switch (message.template) {
    case "activation":
    case "team-activation":
    case "provider-activation":
    case "provider-email-change":
      return describeAccount(message, language);
    case "new-device":
      return describeDevice(message, language);
    case "welcome":
      return describeMember(message, language);
    case "webhook-off":
      return describeWebhook(message, language);
    case "identity-provider-changed":
      return describeIdentityProvider(message, language);
    case "team-invitation":
    case "team-invitation-existing":
      return describeInvitation(message, language, settings);
    default:
      return [];
  }
}

/** Whether a message is an email to a user, rather than an SMS or a report. */
const isEmail = (message: DeliverableMessage): message is EmailMessage =>
  Object.hasOwn(emailTemplates, message.template);

/** The email address that a message goes to. */
export const addressOf = (message: DeliverableMessage): string | undefined =>
  message.template === "domain-audit" || isEmail(message) ? message.to : undefined;

function renderEmail(message: EmailMessage, context: RenderContext): RenderedEmail {
  const { code, settings } = context;
  const { productName } = settings;
  const { language, texts } = localise(message, settings);
  const { purpose }: EmailTemplateSpec = emailTemplates[message.template];
  const { link, ...text }: EmailText = texts.emails[message.template](productName);
  const redemption: Record<string, string> = {
    ...("key" in message && { key: message.key }),
    ...(("code" in message || "invitationId" in message) && { code }),
  };
  const url = urlOf(message, redemption, context);
  const content = {
    ...text,
    language,
    direction: texts.direction,
    productName,
    link: link && url ? { ...link, url } : undefined,
    facts: factsOf(message, language, settings),
    code:
      "code" in message
        ? { text: code, validity: texts.validity(lifetimeOf(message.code, { language, settings })) }
        : undefined,
    footer: texts.footer(productName, message.to),
  };
  return {
    ...envelope(message.to, text.subject, { purpose, ...redemption }, settings),
    text: plainTextPart(content),
    html: htmlPart(content),
  };
}

function renderAudit(
  { to, domain, call, before, after }: AuditMessage,
  { settings }: RenderContext,
): RenderedEmail {
  return {
    ...envelope(to, `Registration of ${domain} changed: ${call}`, { purpose: "audit" }, settings),
    text: `Domain: ${domain}\nCall: ${call}\n\nBefore:\n${before}\n\nAfter:\n${after}\n`,
  };
}

/** Everything about an email except its parts. @throws UnsafeHeaderError */
function envelope(
  to: string,
  subject: string,
  values: Readonly<Record<string, string>>,
  { emailSender, productName, vendor }: Settings,
): Omit<RenderedEmail, "text" | "html"> {
  const fields = { to, from: mailbox(productName, emailSender), subject };
  const headers = {
    ...vendorHeaders(vendor, values),
    // Keeps out-of-office responders from replying (RFC 3834 §5).
    "Auto-Submitted": "auto-generated",
  };
  refuseControlCharacters({ ...fields, ...headers });
  return { kind: "email", ...fields, headers };
}

/** The target of a mail's button. */
function urlOf(
  message: EmailMessage,
  redemption: Readonly<Record<string, string>>,
  { code, settings, publicUrl }: RenderContext,
): string | undefined {
  const { page, opensWebApp, invites }: EmailTemplateSpec = emailTemplates[message.template];
  if (opensWebApp) return settings.webAppUrl;
  if (invites !== undefined && "invitationId" in message) {
    const isForExistingUser = invites === "existing-user";
    return invitationUrl({ settings, publicUrl }, message.team, { code, isForExistingUser });
  }
  return page && `${publicUrl}${page}?${new URLSearchParams(redemption)}`;
}

function renderSms(message: SmsMessage, { code, settings, publicUrl }: RenderContext): RenderedSms {
  const { language, texts } = localise(message, settings);
  const lifetime = lifetimeOf(message.code, { language, settings });
  const link =
    "key" in message ? `${publicUrl}/delete?${new URLSearchParams({ key: message.key, code })}` : "";
  const name = message.template === "activation-sms" ? nameInSms(message.name) : "";
  const { productName } = settings;
  const text = texts.sms[message.template]({ productName, code, name, lifetime, link });
  // A no-break space is not in the GSM alphabet: a single one would more than halve the room in an SMS.
  return { kind: "sms", to: message.to, text: text.replaceAll(/[\u00a0\u202f]/g, " ") };
}

function localise(message: EmailMessage | SmsMessage, settings: Settings) {
  const language = chooseLocale(message.locale, settings.setDefaultTemplateLocale);
  return { language, texts: locales[language] };
}

function lifetimeOf(
  { purpose }: { purpose: CodePurpose },
  { language, settings }: { language: Locale; settings: Settings },
): string {
  const lifetimeSeconds: Record<CodePurpose, number> = {
    activation: settings.setActivationTimeout,
    login: settings.setLoginCodeTimeout,
    "password-reset": settings.setPasswordResetTimeout,
    "second-factor": settings.setVerificationTimeout,
    deletion: settings.setDeletionCodeTimeout,
    "provider-activation": providerCodeLifetimes.activation,
    "provider-password-reset": providerCodeLifetimes.passwordReset,
  };
  return lifetimeInWords(lifetimeSeconds[purpose], language);
}

/** `X-Svc-Purpose` and so on, for the vendor `svc`. */
const vendorHeaders = (vendor: string, values: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`X-${capitalise(vendor)}-${capitalise(name)}`, value]),
  );

const capitalise = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/** Name and address (RFC 5322 §3.4): quoted, or encoded in words of 75 characters at most (RFC 2047 §2). */
function mailbox(name: string, address: string): string {
  const isPlain = /^[\x20-\x7e]*$/.test(name);
  const phrase = isPlain
    ? [`"${name.replaceAll(/["\\]/g, "\\$&")}"`]
    : name.match(/.{1,10}/gsu)?.map((word) => `=?UTF-8?B?${Buffer.from(word).toString("base64")}?=`);
  return `${phrase?.join(" ")} <${address}>`;
}

function refuseControlCharacters(fields: Readonly<Record<string, string>>) {
  const unsafe = Object.keys(fields).filter((name) => /[\p{Cc}\u2028\u2029]/u.test(fields[name] ?? ""));
  if (unsafe.length > 0) throw new UnsafeHeaderError(`Control character in ${unsafe.join(", ")}`);
}
