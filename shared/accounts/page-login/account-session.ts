import { describeAudited } from "#shared/platform/audit/audited.ts";
import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { withoutCookies } from "#shared/sessions/cookies.ts";
import type { Cookie } from "#shared/sessions/session.ts";
import type { JwtSigner } from "#shared/sessions/tokens/jwt.ts";
import type { Account } from "../account.ts";
import type { AccountDeps } from "../account-deps.ts";
import { openSession } from "../open-session.ts";
import type { LoggedIn } from "./check-log-in.ts";
import { currentUser, newSession, type PageFlow, type PageSession, sessionCookie } from "./page-session.ts";

/** The session of the account pages. */
export const accountFlow: PageFlow = {
  cookieName: "account-session",
  path: "/account",
  tokenType: "account-session+jwt",
  lifetimeSeconds: ({ setAccountPageSessionSecs }) => setAccountPageSessionSecs,
};

/** Label of the cookies behind sessions of these pages, in lists of the user's sessions. */
export const pageLabel = "account page";

/** A user of these pages, with the user's cookies. */
export interface Visitor {
  readonly account: Account;
  readonly session: PageSession;
  readonly cookies: readonly Cookie[];
}

type Deps = Pick<AccountDeps, "accounts" | "clock" | "sessions">;

/**
 * Begin a session for somebody who has logged in. It has a record among the cookies of the user, so it ends when they
 * do. The cookie itself is never sent, so it gives access to nothing but pages.
 *
 * @throws ApiError as `openSession` does
 */
export async function beginSession(
  deps: Parameters<typeof openSession>[0],
  { sub, epoch, authTime }: LoggedIn,
): Promise<PageSession> {
  describeAudited({ actor: { kind: "user", user: sub } });
  const now = toSeconds(deps.clock());
  const until = now + accountFlow.lifetimeSeconds(deps.settings);
  const { cookie } = await openSession(
    deps,
    { userId: sub, sessionEpoch: epoch },
    { label: pageLabel, isPersistent: false, expiresAtMost: until * 1000 },
  );
  return newSession("logged-in", { sub, epoch, cookieId: cookie.id, authTime: authTime ?? now, until });
}

/** The user of a session; undefined before the login, and once the session has ended or the user is refused. */
export async function visitorOf(deps: Deps, session: PageSession): Promise<Visitor | undefined> {
  const { cookieId, sub } = session;
  if (sub === undefined || cookieId === undefined) return undefined;
  describeAudited({ actor: { kind: "user", user: sub } });
  const [account, { cookies }] = await Promise.all([currentUser(deps, session), deps.sessions.get(sub)]);
  const own = cookies[cookieId];
  if (account === undefined || own === undefined || own.expiresAt <= deps.clock()) return undefined;
  return { account, session, cookies: Object.values(cookies) };
}

/** End a session of these pages, but no other one of the user. */
export async function endSession(
  { sessions }: Pick<Deps, "sessions">,
  { account, session }: Visitor,
): Promise<void> {
  await sessions.change(account.userId, (current) => ({
    next: withoutCookies(current, ({ id }) => id === session.cookieId),
    result: undefined,
  }));
}

/**
 * `Set-Cookie` values of a session: for its own pages, and once somebody is logged in, for the pages that ask for
 * consent, where the login counts, too.
 */
export async function accountCookies(
  deps: { readonly clock: Clock; readonly settings: Settings; readonly signer: JwtSigner },
  session: PageSession,
): Promise<string[]> {
  const paths = session.step === "logged-in" ? [accountFlow.path, "/authorize"] : [accountFlow.path];
  return Promise.all(paths.map((path) => sessionCookie(deps, { ...accountFlow, path }, session)));
}
