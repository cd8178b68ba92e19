import type { Locale } from "./choose-locale.ts";

/** Such as "January 31, 2026 at 14:05 UTC". */
export const timeInWords = (time: string, language: Locale) =>
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
