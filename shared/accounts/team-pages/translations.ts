import type { Translations } from "#shared/platform/html/choose-locale.ts";
import { de } from "./locales/de.ts";
import { en } from "./locales/en.ts";
import { es } from "./locales/es.ts";
import { fr } from "./locales/fr.ts";
import type { TeamTexts } from "./texts.ts";

export const teamTranslations: Translations<TeamTexts> = { en, de, es, fr };
