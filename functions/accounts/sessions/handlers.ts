import { removeCookies } from "#shared/accounts/self/remove-cookies.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "./deps.ts";
import { listCookies } from "./list-cookies.ts";
import { logIn } from "./log-in.ts";
import { logInBySso } from "./log-in-by-sso.ts";
import { logInForLegalHold } from "./log-in-for-legal-hold.ts";
import { logInWithCode } from "./log-in-with-code.ts";
import { logOut } from "./log-out.ts";
import { findPendingLogin, sendLoginCode } from "./login-codes.ts";
import { renewAccess } from "./renew-access.ts";
import type { routes } from "./routes.ts";

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
