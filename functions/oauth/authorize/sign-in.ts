import type { Account } from "#shared/accounts/account.ts";
import { currentUser, type PageFlow, type PageSession } from "#shared/accounts/page-login/page-session.ts";
import { readIdTokenHint } from "#shared/oauth/id-token.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { parseScope } from "#shared/registry/oauth-scopes.ts";
import type { KnownRequest, RequestProblem } from "./authorization-request.ts";
import type { Deps } from "./deps.ts";

/** The account that is logged in, unless the app wants a newer login, or somebody else's. */
export async function signedInUser(
  deps: Deps,
  { signIn }: Pick<KnownRequest, "signIn">,
  session: PageSession,
): Promise<Account | undefined> {
  if (signIn === undefined) return currentUser(deps, session);
  const { prompt, maxAgeSeconds, idTokenHint } = signIn;
  const age = toSeconds(deps.clock()) - (session.authTime ?? 0);
  if (prompt.has("login") || (maxAgeSeconds !== undefined && age > maxAgeSeconds)) return undefined;
  const user = await currentUser(deps, session);
  if (user === undefined || idTokenHint === undefined) return user;
  return (await readIdTokenHint(deps, idTokenHint))?.userId === user.userId ? user : undefined;
}

/**
 * The user who has let the app in before, for a request that must be answered without a page. Only `https` proves that
 * the answer reaches that app, and not another program on the device (RFC 8252 §8.6).
 */
export async function silentUser(
  deps: Deps,
  known: KnownRequest,
  session: PageSession,
): Promise<Account | RequestProblem> {
  const user = await signedInUser(deps, known, session);
  if (user === undefined) return { error: "login_required", error_description: "Nobody is logged in" };
  const { app, request } = known;
  const asked = parseScope(request.scope, deps.settings);
  const { grants } = await deps.grants.ofUser(user.userId);
  const isGranted = Object.values(grants).some(
    ({ clientId, expiresAt, openId, scope }) =>
      clientId === app.clientId &&
      expiresAt > deps.clock() &&
      asked.scope.every((name) => scope.includes(name)) &&
      asked.openId.every((name) => openId?.scope.includes(name)),
  );
  if (isGranted && request.redirect_uri.startsWith("https:")) return user;
  return { error: "consent_required", error_description: "The person has to be asked" };
}

/** The session of the pages that ask for consent: for these pages only. */
export const authorizeFlow: PageFlow = {
  cookieName: "authorize-session",
  path: "/authorize",
  tokenType: "authorize-session+jwt",
  lifetimeSeconds: ({ setOAuthPageSessionSecs }) => setOAuthPageSessionSecs,
};
