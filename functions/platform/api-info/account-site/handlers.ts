import type { Translations } from "#shared/platform/html/choose-locale.ts";
import { type Html, html } from "#shared/platform/html/html.ts";
import { pagesFor } from "#shared/platform/html/pages-for.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import type { routes } from "./routes.ts";

export function createHandlers({ config, settings }: Deps): Handlers<typeof routes> {
  const { deepLink, productName, vendor, webAppUrl } = settings;
  const pages = pagesFor(translations, settings);

  return {
    "get-forgotten-password-page": () => ({
      status: 302,
      headers: { location: `${config.publicUrl}/password-reset/page/request` },
    }),

    "get-profile-link-page": ({ query, headers }) => {
      const { id, domain = settings.domain } = query.id;
      const { texts, page } = pages(headers);
      const app = `${deepLink?.scheme ?? vendor}://user/${domain}/${id}`;
      const webApp = webAppUrl && profileAddress(webAppUrl, { id, domain });
      return page(texts.title, profileLinkPage(texts, { app, webApp, productName }));
    },
  };
}

/** Address at which a web app shows a profile. */
function profileAddress(webAppUrl: string, { id, domain }: { id: string; domain: string }): string {
  const address = new URL(webAppUrl);
  address.hash = `/user/${id}/${domain}`;
  return address.href;
}

/** Texts of the page in one language. */
export interface Texts {
  readonly title: string;
  readonly intro: (productName: string) => string;
  readonly open: string;
  readonly openWeb: string;
  readonly help: string;
}

export const translations: Translations<Texts> = {
  en: {
    title: "A profile",
    intro: (productName) => `This link leads to the profile of a person in ${productName}.`,
    open: "Open it in the app",
    openWeb: "Open it in the web app",
    help: "If you have no app yet, ask the person who gave you the link.",
  },
  de: {
    title: "Ein Profil",
    intro: (productName) => `Dieser Link führt zum Profil einer Person in ${productName}.`,
    open: "In der App öffnen",
    openWeb: "In der Web-App öffnen",
    help: "Sie haben noch keine App? Dann fragen Sie die Person, von der Sie den Link haben.",
  },
  es: {
    title: "Un perfil",
    intro: (productName) => `Este enlace lleva al perfil de una persona en ${productName}.`,
    open: "Abrirlo en la aplicación",
    openWeb: "Abrirlo en la aplicación web",
    help: "Si aún no tiene la aplicación, pregunte a la persona que le dio el enlace.",
  },
  fr: {
    title: "Un profil",
    intro: (productName) => `Ce lien mène au profil d’une personne sur ${productName}.`,
    open: "L’ouvrir dans l’application",
    openWeb: "L’ouvrir dans l’application web",
    help: "Si vous n’avez pas encore l’application, demandez à la personne qui vous a donné le lien.",
  },
};

interface Links {
  readonly app: string;
  /** Absent: there is no web app. */
  readonly webApp: string | undefined;
  readonly productName: string;
}

export const profileLinkPage = (
  texts: Texts,
  { app, webApp, productName }: Links,
): Html => html`<h1>${texts.title}</h1>
<p>${texts.intro(productName)}</p>
<ul>
<li><a href="${app}">${texts.open}</a></li>
${webApp === undefined ? "" : html`<li><a href="${webApp}">${texts.openWeb}</a></li>`}
</ul>
<p>${texts.help}</p>
`;
