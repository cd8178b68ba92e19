import type { Translations } from "#shared/platform/html/choose-locale.ts";
import { type Html, html } from "#shared/platform/html/html.ts";
import { pagesFor } from "#shared/platform/html/pages-for.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Deps } from "../deps.ts";
import type { routes } from "./routes.ts";

export function createHandlers({ config, settings }: Deps): Handlers<typeof routes> {
  const { deepLink, productName, vendor, webAppUrl } = settings;
  const pages = pagesFor(translations, settings);

  return {
    "get-home": ({ headers }) => {
      const { texts, page } = pages(headers);
      return page(texts.title, homePage(texts, { webAppUrl, hasDeepLink: deepLink !== undefined }));
    },

    "get-deep-link": () => {
      const body = deepLinkConfiguration(settings, config.publicUrl);
      if (body === undefined) throw new ApiError("not-found");
      return { body };
    },

    "get-deep-link-page": ({ headers }) => {
      if (deepLink === undefined) throw new ApiError("not-found");
      const { texts, page } = pages(headers);
      const address = deepLinkAddress(deepLink.scheme ?? vendor, config.publicUrl);
      return page(texts.deepLink, deepLinkPage(texts, { address, productName }));
    },
  };
}

/** The configuration that an app needs to use this installation. */
interface DeepLinkConfiguration {
  readonly title: string;
  readonly endpoints: {
    readonly backendURL: string;
    readonly backendWSURL: string;
    readonly blackListURL: string;
    readonly teamsURL: string;
    readonly accountsURL: string;
    readonly websiteURL: string;
  };
}

/** The configuration that apps read; undefined unless the operator has set `deepLink`. */
function deepLinkConfiguration(
  { deepLink, productName }: Settings,
  publicUrl: string,
): DeepLinkConfiguration | undefined {
  if (deepLink === undefined) return undefined;
  const { blackListURL, teamsURL, accountsURL, websiteURL } = deepLink;
  const backendWSURL = deepLink.backendWSURL ?? publicUrl;
  return {
    title: productName,
    endpoints: { backendURL: publicUrl, backendWSURL, blackListURL, teamsURL, accountsURL, websiteURL },
  };
}

/** Link that opens an app, which then reads the configuration. */
const deepLinkAddress = (scheme: string, publicUrl: string): string =>
  `${scheme}://access/?${new URLSearchParams({ config: `${publicUrl}/deeplink.json` })}`;

/** Texts of both pages in one language. */
export interface Texts {
  readonly title: string;
  readonly intro: string;
  readonly documentation: string;
  readonly document: string;
  readonly versions: string;
  readonly webApp: string;
  readonly account: string;
  readonly provider: string;
  readonly deepLink: string;
  readonly advice: (productName: string) => string;
  readonly open: string;
}

export const translations: Translations<Texts> = {
  en: {
    title: "The service is running",
    intro: "This address is for apps. For people, there is:",
    documentation: "Documentation of the interface",
    document: "The interface as an OpenAPI document",
    versions: "Versions of the interface",
    webApp: "Web app",
    account: "Your account",
    provider: "Offer services (bots)",
    deepLink: "Set up your app",
    advice: (productName) => `Open this link on the device that has the app, to use it with ${productName}.`,
    open: "Open the app",
  },
  de: {
    title: "Der Dienst läuft",
    intro: "Diese Adresse ist für Apps. Für Menschen gibt es:",
    documentation: "Dokumentation der Schnittstelle",
    document: "Die Schnittstelle als OpenAPI-Dokument",
    versions: "Versionen der Schnittstelle",
    webApp: "Web-App",
    account: "Ihr Konto",
    provider: "Dienste anbieten (Bots)",
    deepLink: "App einrichten",
    advice: (productName) =>
      `Öffnen Sie diesen Link auf dem Gerät mit der App, um sie mit ${productName} zu verwenden.`,
    open: "App öffnen",
  },
  es: {
    title: "El servicio está en marcha",
    intro: "Esta dirección es para aplicaciones. Para personas hay:",
    documentation: "Documentación de la interfaz",
    document: "La interfaz como documento OpenAPI",
    versions: "Versiones de la interfaz",
    webApp: "Aplicación web",
    account: "Su cuenta",
    provider: "Ofrecer servicios (bots)",
    deepLink: "Configure su aplicación",
    advice: (productName) =>
      `Abra este enlace en el dispositivo que tiene la aplicación para usarla con ${productName}.`,
    open: "Abrir la aplicación",
  },
  fr: {
    title: "Le service fonctionne",
    intro: "Cette adresse est destinée aux applications. Pour les personnes, il y a :",
    documentation: "Documentation de l’interface",
    document: "L’interface sous forme de document OpenAPI",
    versions: "Versions de l’interface",
    webApp: "Application web",
    account: "Votre compte",
    provider: "Proposer des services (bots)",
    deepLink: "Configurez votre application",
    advice: (productName) =>
      `Ouvrez ce lien sur l’appareil où se trouve l’application pour l’utiliser avec ${productName}.`,
    open: "Ouvrir l’application",
  },
};

interface Links {
  /** Absent: no such link. */
  readonly webAppUrl: string | undefined;
  readonly hasDeepLink: boolean;
}

const link = (address: string, text: string) => html`<li><a href="${address}">${text}</a></li>`;

/** The page at the root; its links are relative, because a version or the path of a proxy may precede it. */
export const homePage = (
  texts: Texts,
  { webAppUrl, hasDeepLink }: Links,
): Html => html`<h1>${texts.title}</h1>
<p>${texts.intro}</p>
<ul>
${webAppUrl === undefined ? "" : link(webAppUrl, texts.webApp)}
${hasDeepLink ? link("deeplink.html", texts.deepLink) : ""}
${link("account/profile", texts.account)}
${link("provider/page/account", texts.provider)}
${link("api/docs", texts.documentation)}
${link("api/openapi.json", texts.document)}
${link("api-version", texts.versions)}
</ul>
`;

/** The page with the link that opens an app. */
export const deepLinkPage = (
  texts: Texts,
  { address, productName }: { readonly address: string; readonly productName: string },
): Html => html`<h1>${texts.deepLink}</h1>
<p>${texts.advice(productName)}</p>
<p><a href="${address}">${texts.open}</a></p>
`;
