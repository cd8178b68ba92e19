import type { EmailMessage } from "#shared/mail/message.ts";
import { type Locale, locales } from "./choose-locale.ts";
import { timeInWords } from "./time-in-words.ts";

type Activation = Extract<EmailMessage, { template: "activation" }>;

/** Describe the account that a mail activates, so that its recipient recognises it. */
export function describeAccount({ account }: Activation, language: Locale): string[] {
  const texts = locales[language].account;
  const { name, isActivated, requestedAt, isContested } = account;
  const named = isActivated ? texts.existing : texts.registered;
  return [
    named(isPlainName(name) ? name : "–"),
    texts.requestedAt(timeInWords(requestedAt, language)),
    ...(isContested ? [texts.contested] : []),
  ];
}

/** The name of an account for an SMS; empty if it would not fit, or would make the SMS cost twice as much. */
export const nameInSms = (name = "") => (isPlainName(name) && /^[ \w'.-]{1,20}$/.test(name) ? name : "");

/**
 * Whether a name can be repeated to a stranger: whoever registers chooses both, so it must be neither a link nor a
 * message of its own. A dot ends an initial or a title, as in "Dr. Ada K. Lovelace".
 */
const isPlainName = (name: string) =>
  name.length <= 40 && /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}'’-]|[ \u200c\u200d]|\.(?= |$))*$/u.test(name);
