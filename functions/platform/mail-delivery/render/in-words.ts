import type { Locale } from "./choose-locale.ts";

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
