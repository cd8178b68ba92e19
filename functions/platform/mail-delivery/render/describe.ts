import type { EmailMessage } from "#shared/codes/mail/message.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { type Locale, locales } from "./choose-locale.ts";

type Activation = Extract<EmailMessage, { readonly account: object }>;

/** Describe the account that a mail activates, so that its recipient recognises it. */
export function describeAccount({ account }: Activation, language: Locale): string[] {
  const { account: texts, team } = locales[language];
  const { name, isActivated, requestedAt, isContested } = account;
  const named = isActivated ? texts.existing : texts.registered;
  return [
    named(plainName(name)),
    ...("team" in account ? [team.founded(plainName(account.team))] : []),
    texts.requestedAt(timeInWords(requestedAt, language)),
    ...(isContested ? [texts.contested] : []),
  ];
}

/** The name of an account for an SMS; empty if it would not fit or would double the price of the SMS. */
export function nameInSms(name = ""): string {
  const plain = plainName(name);
  return /^[ \w'.-]{1,20}$/.test(plain) ? plain : "";
}

/** A dot ends an initial or a title, as in "Dr. Ada K. Lovelace". */
const plainStart = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}'’-]|[ \u200c\u200d]|\.(?= |$)){0,39}/u;

/**
 * The part of a name that is safe to repeat to a stranger. Whoever registers chooses both, so it must contain neither a
 * link nor a message.
 */
function plainName(name: string): string {
  const start = plainStart.exec(name)?.[0] ?? "";
  return start === name ? name : `${start.trimEnd()}…`;
}

type NewDevice = Extract<EmailMessage, { template: "new-device" }>;

/** Limit on the characters shown of a label or model, both chosen by whoever added the device. */
const longestText = 64;

/** Describe a device in lines, so that its user recognises it. */
export function describeDevice({ device, addedAt }: NewDevice, language: Locale): string[] {
  const texts = locales[language].device;
  const label = toLine(device.label);
  const model = toLine(device.model);
  return [
    ...(label === "" ? [] : [texts.label(label)]),
    ...(model === "" ? [] : [texts.model(model)]),
    texts.addedAt(timeInWords(addedAt, language)),
  ];
}

/** Keeps a text from posing as part of the mail by its length, by line breaks or by changing the reading direction. */
function toLine(text = ""): string {
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\s]+/gu, " ").trim();
  const characters = [...line];
  return characters.length <= longestText ? line : `${characters.slice(0, longestText).join("")}…`;
}

type Change = Extract<EmailMessage, { template: "identity-provider-changed" }>;

/** Describe a change of an identity provider: what is new or gone, or else all that it has. */
export function describeIdentityProvider(
  { team, admin, providerId, before, after }: Change,
  language: Locale,
): string[] {
  const { identityProvider: texts, team: teamTexts } = locales[language];
  const happened = { new: texts.created, changed: texts.updated, gone: texts.deleted };
  const current = after ?? before;
  const [old, next] = [before?.certificates ?? [], after?.certificates ?? []];
  return [
    happened[stateOf({ before, after })](providerId),
    teamTexts.team(plainName(team.name)),
    ...(admin === undefined ? [] : [texts.admin(plainName(admin))]),
    ...(current === undefined ? [] : [texts.issuer(current.issuer), texts.endpoint(current.requestUri)]),
    ...(before && after && before.issuer !== after.issuer ? [texts.formerIssuer(before.issuer)] : []),
    ...(before && after && before.requestUri !== after.requestUri
      ? [texts.formerEndpoint(before.requestUri)]
      : []),
    ...next.filter((certificate) => !old.includes(certificate)).map(texts.addedCertificate),
    ...old.filter((certificate) => !next.includes(certificate)).map(texts.removedCertificate),
  ];
}

function stateOf({ before, after }: Pick<Change, "before" | "after">): "new" | "changed" | "gone" {
  if (before === undefined) return "new";
  return after === undefined ? "gone" : "changed";
}

type TeamInvitation = Extract<EmailMessage, { template: "team-invitation" | "team-invitation-existing" }>;

/** Describe an invitation, so that its recipient recognises the inviter and the team. */
export function describeInvitation(
  { inviter, team }: TeamInvitation,
  language: Locale,
  { setTeamInvitationTimeout }: Settings,
): string[] {
  const texts = locales[language];
  return [
    texts.invitation.inviter(inviter),
    texts.team.team(plainName(team.name)),
    texts.invitation.validity(lifetimeInWords(setTeamInvitationTimeout, language)),
  ];
}

type Welcome = Extract<EmailMessage, { template: "welcome" }>;

/** Describe a new member of a team, and the team. */
export function describeMember({ to, name, team }: Welcome, language: Locale): string[] {
  const texts = locales[language].team;
  return [
    texts.member(plainName(name)),
    texts.address(to),
    texts.team(plainName(team.name)),
    texts.teamId(team.teamId),
  ];
}

type WebhookOff = Extract<EmailMessage, { template: "webhook-off" }>;

/** Describe a webhook that was switched off. */
export function describeWebhook({ team, webhook }: WebhookOff, language: Locale): string[] {
  const { team: teamTexts, webhook: texts } = locales[language];
  return [
    texts.host(webhook.host),
    texts.id(webhook.webhookId),
    ...(team === undefined ? [] : [teamTexts.team(plainName(team.name))]),
  ];
}

const units = [
  { unit: "day", seconds: 86_400 },
  { unit: "hour", seconds: 3600 },
  { unit: "minute", seconds: 60 },
] as const;

/** "14 days", "10 Minuten": the largest unit that leaves no remainder. */
export function lifetimeInWords(lifetimeSeconds: number, locale: Locale): string {
  const { unit, seconds } = units.find(({ seconds }) => lifetimeSeconds % seconds === 0) ?? {
    unit: "second",
    seconds: 1,
  };
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(
    lifetimeSeconds / seconds,
  );
}

/** Cached, because creating one takes longer than rendering a mail. */
const formats = new Map<Locale, Intl.DateTimeFormat>();

/** Such as "January 31, 2026 at 14:05 UTC". */
const timeInWords = (time: string, language: Locale) => formatOf(language).format(new Date(time));

function formatOf(language: Locale): Intl.DateTimeFormat {
  const known = formats.get(language);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat(language, {
    year: "numeric",
    month: "long",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone: "UTC",
    timeZoneName: "short",
  });
  formats.set(language, format);
  return format;
}
