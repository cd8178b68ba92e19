import { chooseLocale } from "#shared/platform/html/choose-locale.ts";
import type { Html } from "#shared/platform/html/html.ts";
import { renderPage } from "#shared/platform/html/page.ts";
import { parseScope } from "#shared/registry/oauth-scopes.ts";
import type { KnownRequest } from "./authorization-request.ts";
import { currentUser } from "./current-user.ts";
import type { Deps } from "./deps.ts";
import { formToken, newSession, type PageSession, sessionCookie } from "./page-session.ts";
import { consentPage } from "./pages/consent-page.ts";
import { logInPage, secondFactorPage } from "./pages/log-in-pages.ts";
import { translations } from "./pages/translations.ts";
import type { BrowserHeaders } from "./schemas.ts";

/** Render the page of the browser's current step, with the cookie that goes with it. */
export async function showStep(
  deps: Deps,
  { app, query, request }: KnownRequest,
  { session: found, headers }: { session: PageSession; headers: BrowserHeaders },
) {
  const { productName } = deps.settings;
  const language = chooseLocale(headers["Accept-Language"], request.ui_locales);
  const texts = translations[language];
  const appName = app.applicationName;
  const user = await currentUser(deps, found);
  const hasEnded = found.step === "logged-in" && user === undefined;
  const { problem, identity, ...session } = hasEnded
    ? newSession("started", { problem: "session-ended" })
    : found;
  const form = { query, formToken: await formToken(deps, session, query) };

  const render = (title: string, body: Html, leadsElsewhere = false) =>
    renderPage({ language, productName, title, body, leadsElsewhere });
  const page = () => {
    if (user !== undefined) {
      const body = consentPage(texts, {
        ...form,
        appName,
        user: { name: user.name, identity: user.email ?? user.phone ?? user.handle },
        redirectUrl: new URL(request.redirect_uri),
        scope: parseScope(request.scope),
      });
      return render(texts.consent.title(appName), body, true);
    }
    if (session.step === "password-given") {
      return render(texts.secondFactor.title, secondFactorPage(texts, { ...form, problem }));
    }
    return render(texts.logIn.title, logInPage(texts, { ...form, appName, identity, problem }));
  };
  return { ...page(), cookies: [await sessionCookie(deps, session)] };
}
