import type { Translations } from "#shared/platform/html/choose-locale.ts";
import { type Html, html } from "#shared/platform/html/html.ts";
import { pagesFor } from "#shared/platform/html/pages-for.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import type { routes } from "./routes.ts";

export function createHandlers({ settings }: Deps): Handlers<typeof routes> {
  const { productName, webAppUrl } = settings;
  const pages = pagesFor(translations, settings);

  return {
    "get-guest-link-page": ({ query, headers }) => {
      if (webAppUrl !== undefined)
        return { status: 302, headers: { location: webAppAddress(webAppUrl, query) } };
      const { texts, page } = pages(headers);
      return { status: 200, ...page(texts.title, guestLinkPage(texts, productName)) };
    },
  };
}

/** Address at which a web app opens a guest link. Only two parameters of the query come from the link. */
function webAppAddress(webAppUrl: string, { key, code }: { key: string; code: string }): string {
  const address = new URL(webAppUrl);
  address.pathname = address.pathname.replace(/\/?$/, "/join/");
  address.searchParams.set("key", key);
  address.searchParams.set("code", code);
  return address.href;
}

/** Texts of the page in one language. */
export interface Texts {
  readonly title: string;
  readonly intro: (productName: string) => string;
  readonly advice: (productName: string) => string;
  readonly help: string;
}

export const translations: Translations<Texts> = {
  en: {
    title: "Join a conversation",
    intro: (productName) => `This link is an invitation to a conversation in ${productName}.`,
    advice: (productName) => `To join, copy the address of this page and open it in your ${productName} app.`,
    help: "If you have no app yet, ask the person who sent you the link.",
  },
  de: {
    title: "An einer Unterhaltung teilnehmen",
    intro: (productName) => `Dieser Link ist eine Einladung zu einer Unterhaltung in ${productName}.`,
    advice: (productName) =>
      `Um teilzunehmen, kopieren Sie die Adresse dieser Seite und öffnen Sie sie in Ihrer App von ${productName}.`,
    help: "Sie haben noch keine App? Dann fragen Sie die Person, die Ihnen den Link geschickt hat.",
  },
  es: {
    title: "Únase a una conversación",
    intro: (productName) => `Este enlace es una invitación a una conversación en ${productName}.`,
    advice: (productName) =>
      `Para unirse, copie la dirección de esta página y ábrala en su aplicación de ${productName}.`,
    help: "Si aún no tiene la aplicación, pregunte a la persona que le envió el enlace.",
  },
  fr: {
    title: "Rejoignez une conversation",
    intro: (productName) => `Ce lien est une invitation à une conversation dans ${productName}.`,
    advice: (productName) =>
      `Pour la rejoindre, copiez l’adresse de cette page et ouvrez-la dans votre application ${productName}.`,
    help: "Si vous n’avez pas encore l’application, demandez à la personne qui vous a envoyé le lien.",
  },
};

export const guestLinkPage = (texts: Texts, productName: string): Html => html`<h1>${texts.title}</h1>
<p>${texts.intro(productName)}</p>
<p>${texts.advice(productName)}</p>
<p class="muted">${texts.help}</p>
`;
