import {
  accountCookies,
  accountFlow as flow,
  type Visitor,
  visitorOf,
} from "#shared/accounts/page-login/account-session.ts";
import { logInPage, logInTranslations, secondFactorPage } from "#shared/accounts/page-login/log-in-pages.ts";
import {
  formToken,
  newSession,
  type PageSession,
  readSession,
} from "#shared/accounts/page-login/page-session.ts";
import { toUnicodeAddress } from "#shared/platform/email-address.ts";
import { chooseLocale, type Locale, type Translations } from "#shared/platform/html/choose-locale.ts";
import type { FormHeaders } from "#shared/platform/html/form-origin.ts";
import { type Html, html } from "#shared/platform/html/html.ts";
import { renderPage } from "#shared/platform/html/page.ts";
import { isTeamAdmin } from "#shared/teams/member.ts";
import type { Deps } from "./deps.ts";
import { type Frame, noteOn, type PageName, pagePaths } from "./pages/layout.ts";
import { de } from "./pages/locales/de.ts";
import { en } from "./pages/locales/en.ts";
import { es } from "./pages/locales/es.ts";
import { fr } from "./pages/locales/fr.ts";
import { isOutcome } from "./pages/outcomes.ts";
import type { Texts } from "./pages/texts.ts";

/** A request for a page. */
export interface PageRequest {
  readonly headers: FormHeaders;
  readonly cookiesNamed: (name: string) => readonly string[];
  /** Login code of a company, which the page for logging in then contains. */
  readonly query?: { readonly company?: string | undefined };
}

/** Creates the content of a page for somebody who is logged in. */
type Content = (frame: Frame, visitor: Visitor, language: Locale) => Html | Promise<Html>;

/** Show a page to a logged-in user; others log in on the page of the profile first. */
export async function showPage(
  deps: Deps,
  page: PageName,
  { headers, cookiesNamed, query }: PageRequest,
  content: Content,
) {
  const { settings } = deps;
  const language = chooseLocale(headers["Accept-Language"]);
  const texts = translations[language];
  const found = await readSession(deps, flow, cookiesNamed);
  const visitor = found && (await visitorOf(deps, found));
  if (visitor === undefined && page !== "profile")
    return { status: 303, headers: { location: pagePaths.profile } } as const;

  const { outcome, problem, identity, ...session } = current(found, visitor);
  const token = await formToken(deps, session, { flow, query: "" });
  const { title, body } = visitor === undefined ? logIn() : await pageFor(visitor);
  return {
    status: 200,
    ...renderPage({ language, settings, title, body }),
    cookies: await accountCookies(deps, session),
  } as const;

  async function pageFor(user: Visitor) {
    const { email, phone, handle, passwordHash, teamId, userId } = user.account;
    const member = teamId === undefined ? undefined : await deps.teams.getMember({ teamId, userId });
    const frame = {
      texts,
      formToken: token,
      identity: email === undefined ? (phone ?? handle) : toUnicodeAddress(email),
      hasPassword: passwordHash !== undefined,
      hasTeam: member !== undefined && isTeamAdmin(member),
      outcome: outcome !== undefined && isOutcome(outcome) ? outcome : undefined,
    };
    return { title: texts[page].title, body: await content(frame, user, language) };
  }

  function logIn() {
    const logInTexts = logInTranslations[language];
    const forms = { path: flow.path, query: "", formToken: token, problem };
    if (session.step === "password-given")
      return { title: logInTexts.secondFactor.title, body: secondFactorPage(logInTexts, forms) };
    const intro = html`${noteOn(texts, outcome)}<p>${texts.logInIntro}</p>`;
    const body = logInPage(logInTexts, { ...forms, intro, identity, company: query?.company });
    return { title: logInTexts.logIn.title, body };
  }
}

/** The session to continue, or a new one if there is none or it has ended. */
function current(found: PageSession | undefined, visitor: Visitor | undefined): PageSession {
  if (found === undefined) return newSession("started");
  const hasEnded = found.step === "logged-in" && visitor === undefined;
  return hasEnded ? newSession("started", { problem: "session-ended" }) : found;
}

/** Redirects to a page: no page is the direct response to a form. */
export async function proceed(deps: Deps, page: PageName, session?: PageSession) {
  return {
    status: 303,
    headers: { location: pagePaths[page] },
    cookies: session && (await accountCookies(deps, session)),
  } as const;
}

export const translations: Translations<Texts> = { en, de, es, fr };
