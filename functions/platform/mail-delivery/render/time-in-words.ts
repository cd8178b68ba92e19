import type { Locale } from "./choose-locale.ts";

/** Cached, because creating one takes longer than rendering a mail. */
const formats = new Map<Locale, Intl.DateTimeFormat>();

/** Such as "January 31, 2026 at 14:05 UTC". */
export const timeInWords = (time: string, language: Locale) => formatOf(language).format(new Date(time));

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
