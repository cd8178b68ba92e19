import { pagesFor } from "#shared/platform/html/pages-for.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { deepLinkAddress, deepLinkConfiguration } from "./deep-link.ts";
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
