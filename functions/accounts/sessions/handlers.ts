import type * as z from "zod";
import { currentStatus, loginObstacle } from "#shared/accounts/account.ts";
import { enteredIdentity } from "#shared/accounts/identity.ts";
import { removeCookies } from "#shared/accounts/self/remove-cookies.ts";
import { closeSockets } from "#shared/events/sockets/socket-closure.ts";
import { describeAudited } from "#shared/platform/audit/audited.ts";
import { StaleReadError, transact } from "#shared/platform/data/conditions.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { networkOf } from "#shared/platform/rate-limit/network.ts";
import { charge } from "#shared/platform/usage/measured-work.ts";
import { clearCookieHeader, withoutCookies } from "#shared/sessions/cookies.ts";
import { presentedBearer, presentedCookies } from "#shared/sessions/presented-tokens.ts";
import type { Cookie, Sessions } from "#shared/sessions/session.ts";
import type { Deps } from "./deps.ts";
import { logIn, logInForLegalHold, type StartedSession, startSession } from "./log-in.ts";
import { findPendingLogin, sendLoginCode } from "./login-codes.ts";
import { renewAccess } from "./renew-access.ts";
import type { cookie, routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    login: async ({ body, query, sourceIp }) => {
      const { phone, code, label, password, verification_code: secondFactor } = body;
      const options = { label, isPersistent: query.persist };
      const { accessToken, setCookie } =
        phone !== undefined && code !== undefined
          ? await logInWithCode(deps, { phone, code, ...options }, sourceIp)
          : await logIn(deps, { ...body, password: password ?? "", secondFactor, ...options }, sourceIp);
      return { body: accessToken, cookies: [setCookie] };
    },

    "send-login-code": async ({ body, sourceIp }) => ({
      body: { expires_in: await sendLoginCode(deps, body, sourceIp) },
    }),

    access: async ({ cookies, bearer, query }) => {
      const { accessToken, setCookie } = await renewAccess(deps, {
        cookies,
        bearer,
        clientId: query.client_id,
      });
      return { body: accessToken, cookies: setCookie === undefined ? [] : [setCookie] };
    },

    logout: async ({ cookies, bearer }) => ({ cookies: [await logOut(deps, { cookies, bearer })] }),

    "list-cookies": async ({ actor, query }) => ({
      body: { cookies: await listCookies(deps, actor.userId, query.labels?.split(",")) },
    }),

    "remove-cookies": async ({ actor, body }) => {
      await removeCookies(deps, { userId: actor.userId, ...body });
      return {};
    },

    "i-sso-login": async ({ body: { user, label }, query }) => {
      const login = { userId: user, label, isPersistent: query.persist };
      const { accessToken, setCookie } = await logInBySso(deps, login);
      return { body: accessToken, cookies: [setCookie] };
    },

    "i-legalhold-login": async ({ body: { user, ...login } }) => {
      const { accessToken, setCookie } = await logInForLegalHold(deps, { userId: user, ...login });
      return { body: accessToken, cookies: [setCookie] };
    },

    "i-get-login-code": async ({ query }) => ({ body: await findPendingLogin(deps, query.phone) }),
  };
}

type CookieView = z.input<typeof cookie>;

/** List the cookies of a user, oldest first; with `labels`, only those that have one of them. */
async function listCookies(
  { sessions }: Deps,
  userId: string,
  labels: readonly string[] | undefined,
): Promise<CookieView[]> {
  const { cookies } = await sessions.get(userId);
  return Object.values(cookies)
    .filter(({ label }) => labels === undefined || (label !== undefined && labels.includes(label)))
    .toSorted((one, other) => one.createdAt - other.createdAt)
    .map(toView);
}

function toView({ id, type, createdAt, expiresAt, label, successor }: Cookie): CookieView {
  const created = new Date(createdAt).toISOString();
  return {
    id,
    type,
    created,
    time: created,
    expires: new Date(expiresAt).toISOString(),
    label: label ?? null,
    successor: successor ?? null,
  };
}

/**
 * Log in a user whom an identity provider has vouched for. A user who has a password, but no provider, must log in with
 * the password.
 *
 * @throws ApiError as the route lists
 * @see operation `i-sso-login`
 */
async function logInBySso(
  deps: Deps,
  {
    userId,
    ...options
  }: { readonly userId: string; readonly label?: string; readonly isPersistent: boolean },
): Promise<StartedSession> {
  describeAudited({ target: { uid: userId } });
  const account = await deps.accounts.get(userId);
  const isOfPassword = account?.passwordHash !== undefined && account.samlIdentity === undefined;
  if (account === undefined || isOfPassword) throw new ApiError("invalid-credentials");
  const obstacle = loginObstacle(currentStatus(account, deps.clock()));
  if (obstacle !== undefined) throw new ApiError(obstacle);
  return startSession(deps, account, options);
}

/**
 * Log in with a code from an SMS, which is used up.
 * @throws ApiError `invalid-credentials`, `suspended`, `cookie-throttled`
 * @see operation `login`
 */
async function logInWithCode(
  deps: Deps,
  command: { phone: string; code: string; label?: string; isPersistent: boolean },
  sourceIp: string,
): Promise<StartedSession> {
  const { accounts, dynamo, codes, verificationCodes } = deps;
  const identity = enteredIdentity(command, deps.settings);
  const [code, claim] = await Promise.all([
    codes.takeAttempt("login", identity.key, networkOf(sourceIp)),
    accounts.findClaim(identity),
  ]);
  const isCorrect =
    code !== undefined && (await verificationCodes.matches({ ...code, codeKey: code.key }, command.code));
  if (!isCorrect || claim === undefined || claim.userId !== code.userId) {
    await deps.counts.add({ failedLogins: 1 });
    throw new ApiError("invalid-credentials");
  }
  await charge(async () => claim.teamId);
  if (claim.status !== "active") {
    await codes.returnAttempt(code);
    throw new ApiError(claim.status === "suspended" ? "suspended" : "invalid-credentials");
  }
  await transact(dynamo, [codes.consume(code)]).catch(answer(StaleReadError, "invalid-credentials"));
  return startSession(deps, claim, command);
}

/**
 * Revoke the cookie of the request and the one that it replaced, and close their sockets. The access token stays valid
 * until it expires.
 *
 * @returns the `Set-Cookie` value that clears the cookie
 * @throws ApiError `missing-token` and those of `renewAccess`
 * @see operation `logout`
 */
async function logOut(
  { accounts, outbox, sessions, settings, verifier }: Deps,
  request: { cookies: readonly string[]; bearer: string | undefined },
): Promise<string> {
  const presented = await presentedCookies(verifier, request);
  if (request.bearer === undefined) throw new ApiError("missing-token");
  const bearer = await presentedBearer(verifier, request.bearer);
  const own = presented.filter(({ userId }) => userId === bearer.userId);
  if (own.length === 0) throw new ApiError("token-mismatch");
  const { userId } = bearer;
  describeAudited({ actor: { kind: "user", user: userId } });
  // The account tells the audit trail the user's team.
  const [known] = await Promise.all([sessions.get(userId), accounts.get(userId)]);
  const end = (current: Sessions) => {
    const used = own.find(({ cookieId }) => current.cookies[cookieId] !== undefined);
    if (used === undefined) throw new ApiError("invalid-token");
    return {
      next: withoutCookies(current, ({ id }) => id === used.cookieId),
      messages: [closeSockets(outbox, { userId })],
      result: undefined,
    };
  };
  await sessions.change(userId, end, known);
  return clearCookieHeader(settings);
}
