import { chooseLocale } from "#shared/platform/html/choose-locale.ts";
import { pagesFor } from "#shared/platform/html/pages-for.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { findInvitee, join } from "./join.ts";
import { joinedPage, joinPage } from "./pages/join-pages.ts";
import { translations } from "./pages/translations.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { settings } = deps;
  const pages = pagesFor(translations, settings);

  return {
    "get-join-page": async ({ query: { "team-code": code, problem }, headers }) => {
      const invitee = await findInvitee(deps, code);
      const { texts, page } = pages(headers);
      const { productName } = settings;
      return page(texts.ask.title, joinPage(texts, { ...invitee, code, productName, problem }));
    },

    "post-join": async ({ body: { "team-code": code, ...fields }, headers, sourceIp }) => {
      const locale = chooseLocale(headers["Accept-Language"]);
      const { invitee, problem } = await join(deps, { code, locale, ...fields }, sourceIp);
      if (problem !== undefined) {
        const query = new URLSearchParams({ "team-code": code, problem });
        return { status: 303, headers: { location: `/activate/join?${query}` } };
      }
      const { texts, page } = pages(headers);
      return { status: 200, ...page(texts.done.title, joinedPage(texts, invitee, settings)) };
    },
  };
}
