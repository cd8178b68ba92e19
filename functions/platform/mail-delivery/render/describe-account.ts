import type { EmailMessage } from "#shared/codes/mail/message.ts";
import { type Locale, locales } from "./choose-locale.ts";
import { timeInWords } from "./time-in-words.ts";

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
export function plainName(name: string): string {
  const start = plainStart.exec(name)?.[0] ?? "";
  return start === name ? name : `${start.trimEnd()}…`;
}
