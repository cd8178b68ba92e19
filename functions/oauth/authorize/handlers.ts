import type { Account } from "#shared/accounts/account.ts";
import {
  checkLogInCode,
  checkLogInPassword,
  type LoggedIn,
} from "#shared/accounts/page-login/check-log-in.ts";
import {
  isFormOf,
  newSession,
  type PageSession,
  readSession,
  sessionCookie,
} from "#shared/accounts/page-login/page-session.ts";
import { consentingUser, createAuthorizationCode } from "#shared/oauth/create-authorization-code.ts";
import { describeAudited } from "#shared/platform/audit/audited.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { type FormHeaders, requireSameOrigin } from "#shared/platform/html/form-origin.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers, Input, Route } from "#shared/platform/http/route.ts";
import { verifyBearer } from "#shared/sessions/tokens/authenticate.ts";
import {
  answerLocation,
  checkApp,
  checkRequest,
  type KnownRequest,
  queryAfterLogIn,
  queryOf,
  type RegisteredRequest,
} from "./authorization-request.ts";
import type { Deps } from "./deps.ts";
import { confirmEndSession, endSession } from "./end-session.ts";
import type { AuthorizationRequest, routes } from "./routes.ts";
import { showStep } from "./show-step.ts";
import { authorizeFlow as flow, signedInUser, silentUser } from "./sign-in.ts";

interface FormInput extends Pick<Input<Route>, "cookiesNamed" | "repeated" | "sourceIp"> {
  readonly query: AuthorizationRequest;
  readonly headers: FormHeaders;
  readonly body: { readonly form_token: string };
}

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { authorizationCodes: codes, clock, settings } = deps;
  const logInDeps = {
    ...deps,
    begin: async (user: LoggedIn) => newSession("logged-in", { ...user, authTime: toSeconds(clock()) }),
  };

  const answer = (known: RegisteredRequest, parameters: Readonly<Record<string, string>>) =>
    ({ status: 302, headers: { location: answerLocation(deps, known, parameters) } }) as const;

  const allow = async (known: KnownRequest, user: Account, session?: PageSession) => {
    const { app, request, signIn } = known;
    describeAudited({ actor: { kind: "user", user: user.userId } });
    const code = await createAuthorizationCode(
      { clock, codes, settings },
      {
        ...{ user, app, request },
        login: { nonce: signIn?.nonce, authTime: session?.authTime },
      },
    );
    return answer(known, { code });
  };

  /** Redirects to the page of the current step: no page is the direct response to a form. */
  const proceed = async ({ query }: KnownRequest, session?: PageSession) =>
    ({
      status: 303,
      headers: { location: `/authorize?${query}` },
      cookies: session && [await sessionCookie(deps, flow, session)],
    }) as const;

  /** Once the person has logged in, the request no longer asks for that. */
  const proceedAfter = (known: KnownRequest, session: PageSession) =>
    proceed(session.step === "logged-in" ? { ...known, query: queryAfterLogIn(known) } : known, session);

  const startAgain = (known: KnownRequest) =>
    proceed(known, newSession("started", { problem: "session-ended" }));

  /** Takes the step of a form that we gave to this browser; an outdated form leads back to the current step. */
  const onForm = async <Reply>(
    { query, repeated, headers, body, cookiesNamed }: FormInput,
    takeStep: (known: KnownRequest, session: PageSession) => Promise<Reply>,
  ) => {
    const known = checkRequest(await checkApp(deps, { query, repeated }), settings);
    if ("error" in known) throw new ApiError("bad-request", { message: known.error_description });
    requireSameOrigin(headers, deps.config.publicUrl);
    const session = await readSession(deps, flow, cookiesNamed);
    if (session === undefined) return startAgain(known);
    const isOurs = await isFormOf(deps, session, { flow, query: known.query, token: body.form_token });
    return isOurs ? takeStep(known, session) : proceed(known);
  };

  return {
    "get-authorize": async ({ query, repeated, bearer, isHead, cookiesNamed, headers }) => {
      const registered = await checkApp(deps, { query, repeated });
      const known = checkRequest(registered, settings);
      if ("error" in known) return answer(registered, { ...known });
      const { signIn } = known;
      if (bearer !== undefined && !isHead) {
        // The time of that login is not known here.
        if (signIn?.prompt.has("login") || signIn?.maxAgeSeconds !== undefined)
          return answer(known, {
            error: "login_required",
            error_description: "The login is not recent enough",
          });
        const user = await consentingUser(deps, await verifyBearer(bearer, deps));
        if (user !== undefined) return allow(known, user);
        return answer(known, { error: "access_denied", error_description: "The user has logged out" });
      }
      const session = (await readSession(deps, flow, cookiesNamed)) ?? newSession("started");
      if (signIn?.prompt.has("none") && !isHead) {
        const user = await silentUser(deps, known, session);
        return "error" in user ? answer(known, { ...user }) : allow(known, user, session);
      }
      return { status: 200, ...(await showStep(deps, known, { session, headers })) };
    },

    "post-authorize-login": (input) =>
      onForm(input, async (known, session) =>
        proceedAfter(known, await checkLogInPassword(logInDeps, session, input.body, input.sourceIp)),
      ),

    "post-authorize-code": (input) =>
      onForm(input, async (known, session) => {
        if (session.step !== "password-given") return proceed(known);
        return proceedAfter(known, await checkLogInCode(logInDeps, session, input.body.code, input.sourceIp));
      }),

    "post-authorize-decision": (input) =>
      onForm(input, async (known, session) => {
        const user = await signedInUser(deps, known, session);
        if (user === undefined) return startAgain(known);
        return input.body.decision === "allow"
          ? allow(known, user, session)
          : answer(known, { error: "access_denied", error_description: "The user has refused" });
      }),

    "post-authorize": ({ body }) => ({
      status: 303,
      headers: { location: `/authorize?${queryOf(body)}` },
    }),

    "get-end-session": (input) => endSession(deps, input),

    "post-end-session": ({ body }) => ({
      status: 303,
      headers: { location: `/authorize/end-session?${queryOf(body)}` },
    }),

    "post-end-session-confirmation": ({ query, headers, body, cookiesNamed }) => {
      requireSameOrigin(headers, deps.config.publicUrl);
      return confirmEndSession(deps, { query, cookiesNamed, token: body.form_token });
    },

    "post-authorize-logout": (input) => onForm(input, (known) => proceed(known, newSession("started"))),
  };
}
