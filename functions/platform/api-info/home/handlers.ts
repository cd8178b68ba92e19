import { pagesFor } from "#shared/platform/html/pages-for.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Deps } from "../deps.ts";
import { deepLinkPage, homePage, translations } from "./home-page.ts";
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
