import {
  accountFlow,
  endSession as endAccountSession,
  type Visitor,
  visitorOf,
} from "#shared/accounts/page-login/account-session.ts";
import {
  currentUser,
  formToken,
  isFormOf,
  newSession,
  readSession,
  sessionCookie,
} from "#shared/accounts/page-login/page-session.ts";
import { isRegistered } from "#shared/oauth/app.ts";
import { readIdTokenHint } from "#shared/oauth/id-token.ts";
import { redirectWith } from "#shared/oauth/redirect-with.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { chooseLocale } from "#shared/platform/html/choose-locale.ts";
import type { FormHeaders } from "#shared/platform/html/form-origin.ts";
import { renderPage } from "#shared/platform/html/page.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { queryOf } from "./authorization-request.ts";
import type { Deps } from "./deps.ts";
import { authorizeFlow as flow } from "./page-flow.ts";
import { confirmationPage, loggedOutPage } from "./pages/pages.ts";
import { translations } from "./pages/texts.ts";
import type { EndSessionRequest } from "./routes.ts";

interface Input {
  readonly query: EndSessionRequest;
  readonly headers: FormHeaders;
  readonly cookiesNamed: (name: string) => readonly string[];
}

/** A logout that an app may ask for. */
interface KnownLogout {
  /** The user whom the app has signed in; undefined if it names none. */
  readonly userId: string | undefined;
  /** Where the browser goes afterwards; undefined: to a page of ours. */
  readonly location: string | undefined;
  /** The request as the query of a form's action. */
  readonly query: string;
}

/** @throws ApiError `bad-request`, `redirect-url-mismatch` */
async function checkLogout(deps: Deps, query: EndSessionRequest): Promise<KnownLogout> {
  const { id_token_hint, client_id, post_logout_redirect_uri, state } = query;
  const hint = id_token_hint === undefined ? undefined : await readIdTokenHint(deps, id_token_hint);
  if (id_token_hint !== undefined && hint === undefined)
    throw new ApiError("bad-request", { message: "query.id_token_hint: not an id token of this service" });
  if (hint !== undefined && client_id !== undefined && hint.clientId !== client_id)
    throw new ApiError("bad-request", { message: "query.client_id: not the app of the id token" });
  return {
    userId: hint?.userId,
    location:
      post_logout_redirect_uri === undefined
        ? undefined
        : await checkedLocation(deps, hint?.clientId ?? client_id, post_logout_redirect_uri, state),
    query: queryOf(query),
  };
}

async function checkedLocation(
  { apps }: Deps,
  appId: string | undefined,
  redirectUrl: string,
  state: string | undefined,
): Promise<string> {
  const app = appId === undefined ? undefined : await apps.get(appId);
  const location = redirectWith(redirectUrl, state === undefined ? {} : { state });
  if (app === undefined || location === undefined || !isRegistered(app, redirectUrl))
    throw new ApiError("redirect-url-mismatch");
  return location;
}

/** The browser's sessions, of these pages and of the account pages, and whose they are. */
async function findSessions(deps: Deps, cookiesNamed: Input["cookiesNamed"]) {
  const [session, accountSession] = await Promise.all([
    readSession(deps, flow, cookiesNamed),
    readSession(deps, accountFlow, cookiesNamed),
  ]);
  const [user, visitor] = await Promise.all([
    session && currentUser(deps, session),
    accountSession && visitorOf(deps, accountSession),
  ]);
  return { session, visitor, users: [user, visitor?.account].filter((one) => one !== undefined) };
}

/** End both sessions. @returns an expired cookie, which browsers delete */
async function end(deps: Deps, visitor: Visitor | undefined): Promise<[string]> {
  if (visitor !== undefined) await endAccountSession(deps, visitor);
  return [await sessionCookie(deps, flow, newSession("started", { until: toSeconds(deps.clock()) }))];
}

/**
 * End the sessions of the pages, or ask first, because anybody can send a browser here.
 * @see operation `get-end-session`
 */
export async function endSession(
  deps: Deps,
  { query, headers, cookiesNamed, isHead }: Input & { readonly isHead: boolean },
) {
  const { settings } = deps;
  const known = await checkLogout(deps, query);
  const { session = newSession("started"), users, visitor } = await findSessions(deps, cookiesNamed);
  const other = users.find(({ userId }) => userId !== known.userId);
  const language = chooseLocale(headers["Accept-Language"], query.ui_locales);
  const texts = translations[language].endSession;
  if (other !== undefined) {
    const body = confirmationPage(texts, {
      name: other.name,
      query: known.query,
      formToken: await formToken(deps, session, { flow, query: known.query }),
    });
    return {
      status: 200,
      ...renderPage({ language, settings, title: texts.title, body, leadsElsewhere: true }),
      cookies: [await sessionCookie(deps, flow, session)],
    } as const;
  }
  const cookies = await end(deps, isHead ? undefined : visitor);
  if (known.location !== undefined)
    return { status: 302, headers: { location: known.location }, cookies } as const;
  const page = renderPage({ language, settings, title: texts.doneTitle, body: loggedOutPage(texts) });
  return { status: 200, ...page, cookies } as const;
}

/**
 * End the sessions of the browser that the form belongs to; an outdated form asks again.
 * @see operation `post-end-session-confirmation`
 */
export async function confirmEndSession(
  deps: Deps,
  { query, cookiesNamed, token }: Omit<Input, "headers"> & { readonly token: string },
) {
  const known = await checkLogout(deps, query);
  const { session, visitor } = await findSessions(deps, cookiesNamed);
  const isOurs =
    session !== undefined && (await isFormOf(deps, session, { flow, query: known.query, token }));
  return {
    status: 303,
    headers: { location: `/authorize/end-session?${known.query}` },
    ...(isOurs && { cookies: await end(deps, visitor) }),
  } as const;
}
