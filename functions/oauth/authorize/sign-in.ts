import type { Account } from "#shared/accounts/account.ts";
import { accountFlow, type Visitor, visitorOf } from "#shared/accounts/page-login/account-session.ts";
import {
  currentUser,
  newSession,
  type PageSession,
  readSession,
} from "#shared/accounts/page-login/page-session.ts";
import { readIdTokenHint } from "#shared/oauth/id-token.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { parseScope } from "#shared/registry/oauth-scopes.ts";
import type { KnownRequest, RequestProblem } from "./authorization-request.ts";
import type { Deps } from "./deps.ts";
import { authorizeFlow as flow } from "./page-flow.ts";

type Cookies = (name: string) => readonly string[];

/** What a browser has brought. */
export interface Browser {
  /** Of these pages. */
  readonly session: PageSession;
  /** Of the account pages, where somebody is logged in. */
  readonly accountSession: PageSession | undefined;
}

/** Somebody who is logged in. */
export interface SignedIn {
  readonly user: Account;
  /** When the person logged in, in Unix seconds. */
  readonly authTime: number | undefined;
}

/** Read the sessions of a browser; undefined if it has none of these pages. */
export async function readBrowser(deps: Deps, cookiesNamed: Cookies): Promise<Browser | undefined> {
  const [session, accountSession] = await Promise.all([
    readSession(deps, flow, cookiesNamed),
    readSession(deps, accountFlow, cookiesNamed),
  ]);
  return session && { session, accountSession };
}

/** The same for a browser that has just come. */
export async function meetBrowser(deps: Deps, cookiesNamed: Cookies): Promise<Browser> {
  const known = await readBrowser(deps, cookiesNamed);
  if (known !== undefined) return known;
  return {
    session: newSession("started"),
    accountSession: await readSession(deps, accountFlow, cookiesNamed),
  };
}

/** The user of the account pages, unless the person has asked for another account. */
async function accountVisitor(
  deps: Deps,
  { session, accountSession }: Browser,
): Promise<Visitor | undefined> {
  if (session.isSeparate || accountSession === undefined) return undefined;
  return visitorOf(deps, accountSession);
}

/**
 * Find out who is logged in, here or on the account pages, unless the app wants a newer login, or somebody else's. For
 * an app that asks to change something, a login on the account pages counts only as long as a login here would.
 */
export async function findSignedIn(
  deps: Deps,
  { request, signIn }: Pick<KnownRequest, "request" | "signIn">,
  browser: Browser,
): Promise<SignedIn | undefined> {
  const { settings } = deps;
  const now = toSeconds(deps.clock());
  const isRecent = (authTime = 0, limit = signIn?.maxAgeSeconds) =>
    limit === undefined || now - authTime <= limit;
  if (signIn?.prompt.has("login")) return undefined;

  const accept = async (user: Account | undefined, { authTime }: PageSession) => {
    if (user === undefined || !isRecent(authTime)) return undefined;
    const { idTokenHint } = signIn ?? {};
    if (idTokenHint !== undefined && (await readIdTokenHint(deps, idTokenHint))?.userId !== user.userId)
      return undefined;
    return { user, authTime };
  };
  const { session } = browser;
  if (session.step === "logged-in") return accept(await currentUser(deps, session), session);
  const visitor = await accountVisitor(deps, browser);
  if (visitor === undefined) return undefined;
  const changes = parseScope(request.scope, settings).scope.some((name) => name.startsWith("write:"));
  if (changes && !isRecent(visitor.session.authTime, flow.lifetimeSeconds(settings))) return undefined;
  return accept(visitor.account, visitor.session);
}

/**
 * The user who has let the app in before, for a request that must be answered without a page. Only `https` proves that
 * the answer reaches that app, and not another program on the device (RFC 8252 §8.6).
 */
export async function findSilent(
  deps: Deps,
  known: KnownRequest,
  browser: Browser,
): Promise<SignedIn | RequestProblem> {
  const signedIn = await findSignedIn(deps, known, browser);
  if (signedIn === undefined) return { error: "login_required", error_description: "Nobody is logged in" };
  const { app, request } = known;
  const asked = parseScope(request.scope, deps.settings);
  const { grants } = await deps.grants.ofUser(signedIn.user.userId);
  const isGranted = Object.values(grants).some(
    ({ clientId, expiresAt, openId, scope }) =>
      clientId === app.clientId &&
      expiresAt > deps.clock() &&
      asked.scope.every((name) => scope.includes(name)) &&
      asked.openId.every((name) => openId?.scope.includes(name)),
  );
  if (isGranted && request.redirect_uri.startsWith("https:")) return signedIn;
  return { error: "consent_required", error_description: "The person has to be asked" };
}
