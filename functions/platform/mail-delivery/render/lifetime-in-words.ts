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
