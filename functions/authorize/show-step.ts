import { renderPage } from "#shared/html/page.ts";
import { parseScope } from "#shared/oauth/scopes.ts";
import type { KnownRequest } from "./authorization-request.ts";
import { currentUser } from "./check-log-in.ts";
import type { Deps } from "./deps.ts";
import { formToken, newSession, type PageSession, sessionCookie } from "./page-session.ts";
import { chooseLocale, textsIn } from "./pages/choose-locale.ts";
import { consentPage } from "./pages/consent-page.ts";
import { logInPage } from "./pages/log-in-page.ts";
import { secondFactorPage } from "./pages/second-factor-page.ts";
import type { Problem } from "./pages/texts.ts";
import type { BrowserHeaders } from "./schemas.ts";

interface Step {
  readonly session: PageSession;
  readonly headers: BrowserHeaders;
  readonly problem?: Problem;
  /** What was typed before. */
  readonly identity?: string;
}

/** The page for where the browser stands, and the cookie that goes with it. */
export async function showStep(deps: Deps, known: KnownRequest, { headers, identity, ...step }: Step) {
  const { productName } = deps.settings;
  const language = chooseLocale(headers["Accept-Language"]);
  const texts = textsIn(language);
  const { client, query, request } = known;
  const application = client.applicationName;
  const user = await currentUser(deps, step.session);
  const isAwaited = step.session.stage !== "logged-in" || user !== undefined;
  const session = isAwaited ? step.session : newSession("started");
  const problem = isAwaited ? step.problem : "session-ended";
  const form = { query, formToken: await formToken(deps, session, query) };

  const render = (title: string, body: ReturnType<typeof logInPage>, formTargets?: string[]) =>
    renderPage({ language, productName, title, body, formTargets });
  const page = () => {
    if (user !== undefined) {
      const { title } = texts.consent;
      const redirect = new URL(client.redirectUrl);
      const body = consentPage(texts, {
        ...form,
        application,
        user: [user.name, user.email ?? user.phone ?? user.handle].filter(Boolean).join(", "),
        redirectHost: redirect.host === "" ? redirect.protocol : redirect.host,
        scope: parseScope(request.scope),
      });
      // Browsers hold the redirect after a form to the form's targets, too.
      return render(title(application), body, [redirect.host === "" ? redirect.protocol : redirect.origin]);
    }
    if (session.stage === "password-given") {
      return render(texts.secondFactor.title, secondFactorPage(texts, { ...form, problem }));
    }
    return render(texts.logIn.title, logInPage(texts, { ...form, application, identity, problem }));
  };
  return { ...page(), cookies: [await sessionCookie(deps, session)] };
}
