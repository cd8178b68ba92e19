import { pagesFor } from "#shared/platform/html/pages-for.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { guestLinkPage, translations } from "./guest-link-page.ts";
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
