import { pagesFor } from "#shared/platform/html/pages-for.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { profileLinkPage, translations } from "./profile-link-page.ts";
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
