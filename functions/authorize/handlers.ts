import { verifyBearer } from "#shared/http/authenticate.ts";
import type { Handlers, Input, Route } from "#shared/http/route.ts";
import { createAuthorizationCode } from "#shared/oauth/create-authorization-code.ts";
import { answerLocation, checkRequest, type KnownRequest } from "./authorization-request.ts";
import { checkLogInCode, checkLogInPassword, currentUser } from "./check-log-in.ts";
import type { Deps } from "./deps.ts";
import { isFormOf, newSession, type PageSession, readSession, sessionCookie } from "./page-session.ts";
import type { routes } from "./routes.ts";
import type { BrowserHeaders } from "./schemas.ts";
import { showStep } from "./show-step.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { authorizationCodes: codes, clock, settings } = deps;

  const allow = async (known: KnownRequest, userId: string) => {
    const { client, request } = known;
    const code = await createAuthorizationCode({ clock, codes, settings }, { userId, client, request });
    return { status: 302, headers: { location: answerLocation(deps, known, { code }) } } as const;
  };

  /** The next step, or this one again, is a new request: reloading a page sends no form. */
  const proceed = async ({ query }: KnownRequest, session: PageSession) =>
    ({
      status: 303,
      headers: { location: `/authorize?${query}` },
      cookies: [await sessionCookie(deps, session)],
    }) as const;

  /** The request and the session of a form that this browser got from us; undefined for any other form. */
  const accept = async (
    input: Pick<Input<Route>, "cookiesNamed"> & { headers: BrowserHeaders },
    known: KnownRequest,
    token: string,
  ) => {
    const session = await readSession(deps, input.cookiesNamed);
    const isOurs =
      isSameOrigin(input.headers) &&
      session !== undefined &&
      (await isFormOf(deps, session, { query: known.query, token }));
    return isOurs ? session : undefined;
  };

  return {
    "get-authorize": async ({ query, bearer, cookiesNamed, headers }) => {
      const known = await checkRequest(deps, query);
      if (bearer !== undefined) return allow(known, (await verifyBearer(bearer, deps)).userId);
      const session = (await readSession(deps, cookiesNamed)) ?? newSession("started");
      return { status: 200, ...(await showStep(deps, known, { session, headers })) };
    },

    "post-authorize-login": async (input) => {
      const known = await checkRequest(deps, input.query);
      const session = await accept(input, known, input.body.form_token);
      const { headers } = input;
      if (session === undefined) return startAgain(known, headers);
      const { identity, password } = input.body;
      const outcome = await checkLogInPassword(deps, { identity, password });
      if ("session" in outcome) return proceed(known, outcome.session);
      const { problem, status } = outcome;
      return {
        status,
        ...(await showStep(deps, known, { session: newSession("started"), headers, identity, problem })),
      };
    },

    "post-authorize-code": async (input) => {
      const known = await checkRequest(deps, input.query);
      const session = await accept(input, known, input.body.form_token);
      const { headers } = input;
      if (session?.stage !== "password-given") return startAgain(known, headers);
      const outcome = await checkLogInCode(deps, session, input.body.code);
      if ("session" in outcome) return proceed(known, outcome.session);
      const { problem, status } = outcome;
      return { status, ...(await showStep(deps, known, { session, headers, problem })) };
    },

    "post-authorize-decision": async (input) => {
      const known = await checkRequest(deps, input.query);
      const session = await accept(input, known, input.body.form_token);
      const user = session && (await currentUser(deps, session));
      if (user === undefined) return startAgain(known, input.headers);
      if (input.body.decision === "allow") return allow(known, user.userId);
      return { status: 302, headers: { location: answerLocation(deps, known, { error: "access_denied" }) } };
    },

    "post-authorize-logout": async (input) => {
      const known = await checkRequest(deps, input.query);
      const session = await accept(input, known, input.body.form_token);
      if (session === undefined) return startAgain(known, input.headers);
      return proceed(known, newSession("started"));
    },
  };

  async function startAgain(known: KnownRequest, headers: BrowserHeaders) {
    const session = newSession("started");
    const page = await showStep(deps, known, { session, headers, problem: "session-ended" });
    return { status: 403, ...page } as const;
  }

  /** What browsers tell of where a form was (Fetch Metadata, RFC 6454 §7); other clients tell nothing. */
  function isSameOrigin({ Host: host, Origin: origin, "Sec-Fetch-Site": site }: BrowserHeaders): boolean {
    if (site !== undefined && site !== "same-origin") return false;
    if (origin === undefined) return true;
    return origin === new URL(deps.config.publicUrl).origin || URL.parse(origin)?.host === host;
  }
}
