import type { EmailMessage } from "#shared/codes/mail/message.ts";
import { type Locale, locales } from "./choose-locale.ts";
import { timeInWords } from "./time-in-words.ts";

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
