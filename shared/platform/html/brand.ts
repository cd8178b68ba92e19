import { pagePalette, readableOn } from "../../registry/page-palette.ts";
import type { Settings } from "../product.ts";
import type { Locale, Translations } from "./choose-locale.ts";
import { type Html, html } from "./html.ts";

/** Settings by which an operator makes pages look like the rest of their product. */
export type Brand = Pick<Settings, "branding" | "productName">;

/** Declarations of all colours, for light and dark mode. */
export const colourDeclarations: Html = html`${Object.entries(pagePalette).map(([name, { light, dark }]) => declare(name, light, dark))}`;

/** The accent of the operator, if there is one: a style of its own, which overrides ours. */
export function accentStyle({ branding: { accent } }: Brand): Html | undefined {
  if (accent === undefined) return undefined;
  const { light, dark } = accent;
  return html`:root {
${declare("accent", light, dark)}${declare("on-accent", readableOn(light), readableOn(dark))}}`;
}

function declare(name: string, light: string, dark: string): Html {
  return html`  --${name}: light-dark(${light}, ${dark});
`;
}

/** Name or logo of the product. */
export function brandMark({ productName, branding: { logo } }: Brand): Html {
  if (logo === undefined) return html`${productName}`;
  const source = logo.dark && html`<source srcset="${logo.dark}" media="(prefers-color-scheme: dark)"/>`;
  return html`<picture>${source}<img class="logo" src="${logo.light}" alt="${productName}"/></picture>`;
}

const legalTranslations: Translations<Record<"nav" | "terms" | "privacy" | "imprint", string>> = {
  en: { nav: "Legal", terms: "Terms of use", privacy: "Privacy", imprint: "Legal notice" },
  de: { nav: "Rechtliches", terms: "Nutzungsbedingungen", privacy: "Datenschutz", imprint: "Impressum" },
  es: {
    nav: "Información legal",
    terms: "Condiciones de uso",
    privacy: "Privacidad",
    imprint: "Aviso legal",
  },
  fr: {
    nav: "Informations légales",
    terms: "Conditions d’utilisation",
    privacy: "Confidentialité",
    imprint: "Mentions légales",
  },
};

/** Links to the operator's legal pages, if there are any. */
export function legalFooter({ branding: { legalLinks } }: Brand, language: Locale): Html | undefined {
  const texts = legalTranslations[language];
  const links = (["terms", "privacy", "imprint"] as const).flatMap((kind) => {
    const url = legalLinks[kind];
    return url === undefined
      ? []
      : html`<a href="${url}" rel="noreferrer">${texts[kind]}</a>
`;
  });
  if (links.length === 0) return undefined;
  return html`<footer><nav aria-label="${texts.nav}">
${links}</nav></footer>
`;
}
