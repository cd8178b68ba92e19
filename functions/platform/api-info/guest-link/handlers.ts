import { pagesFor } from "#shared/platform/html/pages-for.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { guestLinkPage, translations } from "./guest-link-page.ts";
import type { routes } from "./routes.ts";
import { webAppAddress } from "./web-app-address.ts";

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
