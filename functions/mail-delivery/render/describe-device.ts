import type { EmailMessage } from "#shared/mail/message.ts";
import { type Locale, locales } from "./choose-locale.ts";

type NewDevice = Extract<EmailMessage, { template: "new-device" }>;

/** Characters shown of a text that whoever added the device has chosen. */
const longestText = 64;

/** Lines that tell a device from others. */
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

/** Neither its length, nor line breaks, nor turning the direction of reading can make it look like part of the mail. */
function toLine(text = ""): string {
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\s]+/gu, " ").trim();
  const characters = [...line];
  return characters.length <= longestText ? line : `${characters.slice(0, longestText).join("")}…`;
}

/** Such as "January 31, 2026 at 14:05 UTC". */
const timeInWords = (time: string, language: Locale) =>
  new Intl.DateTimeFormat(language, {
    year: "numeric",
    month: "long",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZone: "UTC",
    timeZoneName: "short",
  }).format(new Date(time));
