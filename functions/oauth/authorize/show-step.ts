import { currentUser } from "#shared/accounts/page-login/current-user.ts";
import { logInPage, secondFactorPage } from "#shared/accounts/page-login/log-in-pages.ts";
import { logInTranslations } from "#shared/accounts/page-login/log-in-texts.ts";
import {
  formToken,
  newSession,
  type PageSession,
  sessionCookie,
} from "#shared/accounts/page-login/page-session.ts";
import { toUnicodeAddress } from "#shared/platform/email-address.ts";
import { chooseLocale } from "#shared/platform/html/choose-locale.ts";
import type { FormHeaders } from "#shared/platform/html/form-origin.ts";
import { type Html, html } from "#shared/platform/html/html.ts";
import { renderPage } from "#shared/platform/html/page.ts";
import { parseScope } from "#shared/registry/oauth-scopes.ts";
import type { KnownRequest } from "./authorization-request.ts";
import type { Deps } from "./deps.ts";
import { authorizeFlow as flow } from "./page-flow.ts";
import { consentPage } from "./pages/consent-page.ts";
import { translations } from "./pages/translations.ts";

/** Render the page of the browser's current step, with the cookie that goes with it. */
export async function showStep(
  deps: Deps,
  { app, query, request }: KnownRequest,
  { session: found, headers }: { session: PageSession; headers: FormHeaders },
) {
  const language = chooseLocale(headers["Accept-Language"], request.ui_locales);
  const texts = translations[language];
  const appName = app.applicationName;
  const user = await currentUser(deps, found);
  const hasEnded = found.step === "logged-in" && user === undefined;
  const { problem, identity, ...session } = hasEnded
    ? newSession("started", { problem: "session-ended" })
    : found;
  const logInTexts = logInTranslations[language];
  const form = { path: flow.path, query, formToken: await formToken(deps, session, { flow, query }) };

  const render = (title: string, body: Html, leadsElsewhere = false) =>
    renderPage({ language, settings: deps.settings, title, body, leadsElsewhere });
  const page = () => {
    if (user !== undefined) {
      const body = consentPage(texts, {
        ...form,
        appName,
        user: {
          name: user.name,
          identity: user.email === undefined ? (user.phone ?? user.handle) : toUnicodeAddress(user.email),
        },
        redirectUrl: new URL(request.redirect_uri),
        scope: parseScope(request.scope),
      });
      return render(texts.consent.title(appName), body, true);
    }
    if (session.step === "password-given") {
      return render(logInTexts.secondFactor.title, secondFactorPage(logInTexts, { ...form, problem }));
    }
    const intro = html`<p>${texts.logInIntro(appName)}</p>`;
    return render(logInTexts.logIn.title, logInPage(logInTexts, { ...form, intro, identity, problem }));
  };
  return { ...page(), cookies: [await sessionCookie(deps, flow, session)] };
}
