import { de } from "./locales/de.ts";
import { en } from "./locales/en.ts";
import { es } from "./locales/es.ts";
import { fr } from "./locales/fr.ts";
import type { Texts } from "./texts.ts";

export const locales = { en, de, fr, es } as const satisfies Record<string, Texts>;

export type Locale = keyof typeof locales;

/** The first wish that there are texts for, as it is or by its language alone; English when there is none. */
export function chooseLocale(...wishes: readonly (string | undefined)[]): Locale {
  return wishes.flatMap(candidates).find(isLocale) ?? "en";
}

function candidates(wish = ""): string[] {
  const tag = wish.replaceAll("_", "-").toLowerCase();
  return [tag, tag.replace(/-.*/, "")];
}

const isLocale = (tag: string): tag is Locale => Object.hasOwn(locales, tag);
