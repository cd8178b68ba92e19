import { logInPage, logInTranslations, secondFactorPage } from "#shared/accounts/page-login/log-in-pages.ts";
import { formToken, newSession, sessionCookie } from "#shared/accounts/page-login/page-session.ts";
import { toUnicodeAddress } from "#shared/platform/email-address.ts";
import { chooseLocale } from "#shared/platform/html/choose-locale.ts";
import type { FormHeaders } from "#shared/platform/html/form-origin.ts";
import { type Html, html } from "#shared/platform/html/html.ts";
import { renderPage } from "#shared/platform/html/page.ts";
import { parseScope } from "#shared/registry/oauth-scopes.ts";
import type { KnownRequest } from "./authorization-request.ts";
import type { Deps } from "./deps.ts";
import { authorizeFlow as flow } from "./page-flow.ts";
import { consentPage } from "./pages/pages.ts";
import { translations } from "./pages/texts.ts";
import { type Browser, findSignedIn } from "./sign-in.ts";

/** Render the page of the browser's current step, with the cookie that goes with it. */
export async function showStep(
  deps: Deps,
  known: KnownRequest,
  { headers, ...browser }: Browser & { readonly headers: FormHeaders },
) {
  const { app, query, request, signIn } = known;
  const language = chooseLocale(headers["Accept-Language"], request.ui_locales);
  const texts = translations[language];
  const appName = app.applicationName;
  const found = browser.session;
  const user = (await findSignedIn(deps, known, browser))?.user;
  const { problem, identity, ...session } =
    found.step === "logged-in" && user === undefined ? loginAgain(known) : found;
  const logInTexts = logInTranslations[language];
  const form = { path: flow.path, query, formToken: await formToken(deps, session, { flow, query }) };

  const render = (title: string, body: Html, leadsElsewhere = false) =>
    renderPage({ language, settings: deps.settings, title, body, leadsElsewhere });
  const { scope, openId } = parseScope(request.scope, deps.settings);
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
        scope: [...openId, ...scope],
      });
      return render(texts.consent.title(appName), body, true);
    }
    if (session.step === "password-given") {
      return render(logInTexts.secondFactor.title, secondFactorPage(logInTexts, { ...form, problem }));
    }
    const intro = html`<p>${texts.logInIntro(appName)}</p>`;
    return render(
      logInTexts.logIn.title,
      logInPage(logInTexts, { ...form, intro, identity: identity ?? signIn?.loginHint, problem }),
    );
  };
  return { ...page(), cookies: [await sessionCookie(deps, flow, session)] };
}

/** A session that has ended, or does not suffice for an app that signs the person in. This is no error. */
const loginAgain = ({ signIn }: KnownRequest) =>
  newSession("started", signIn === undefined ? { problem: "session-ended" } : {});
