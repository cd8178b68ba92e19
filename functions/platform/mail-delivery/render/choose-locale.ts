import { de } from "./locales/de.ts";
import { en } from "./locales/en.ts";
import { es } from "./locales/es.ts";
import { fr } from "./locales/fr.ts";
import type { Texts } from "./texts.ts";

export const locales = { en, de, fr, es } as const satisfies Record<string, Texts>;

export type Locale = keyof typeof locales;

/** Choose the first preference for which there are texts, either exactly or by its language; English if there is none. */
export function chooseLocale(...preferences: readonly (string | undefined)[]): Locale {
  return preferences.flatMap(candidates).find(isLocale) ?? "en";
}

function candidates(preference = ""): string[] {
  const tag = preference.replaceAll("_", "-").toLowerCase();
  return [tag, tag.replace(/-.*/, "")];
}

const isLocale = (tag: string): tag is Locale => Object.hasOwn(locales, tag);
