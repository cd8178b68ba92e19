import {
  checkLogInCode,
  checkLogInPassword,
  type LoggedIn,
} from "#shared/accounts/page-login/check-log-in.ts";
import { verifyProof } from "#shared/accounts/page-login/company-login.ts";
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
import { orderCompanyLogin } from "#shared/provisioning/order-company-login.ts";
import { verifyBearer } from "#shared/sessions/tokens/authenticate.ts";
import {
  answerLocation,
  checkApp,
  checkRequest,
  type KnownRequest,
  queryAfterLogIn,
  queryOf,
  type RegisteredRequest,
  wantsFreshLogIn,
} from "./authorization-request.ts";
import type { Deps } from "./deps.ts";
import { confirmEndSession, endSession } from "./end-session.ts";
import { authorizeFlow as flow } from "./page-flow.ts";
import type { AuthorizationRequest, routes } from "./routes.ts";
import { showStep } from "./show-step.ts";
import {
  type Browser,
  findSignedIn,
  findSilent,
  meetBrowser,
  readBrowser,
  type SignedIn,
} from "./sign-in.ts";

interface FormInput extends Pick<Input<Route>, "cookiesNamed" | "repeated" | "sourceIp"> {
  readonly query: AuthorizationRequest;
  readonly headers: FormHeaders;
  readonly body: { readonly form_token: string };
}

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { authorizationCodes: codes, clock, settings } = deps;
  const logInDeps = {
    ...deps,
    begin: async ({ sub, epoch, authTime = toSeconds(clock()) }: LoggedIn) =>
      newSession("logged-in", { sub, epoch, authTime }),
  };

  const answer = (known: RegisteredRequest, parameters: Readonly<Record<string, string>>) =>
    ({ status: 302, headers: { location: answerLocation(deps, known, parameters) } }) as const;

  const allow = async (known: KnownRequest, { user, authTime }: SignedIn) => {
    const { app, request, signIn } = known;
    describeAudited({ actor: { kind: "user", user: user.userId } });
    const code = await createAuthorizationCode(
      { clock, codes, settings },
      {
        ...{ user, app, request },
        login: { nonce: signIn?.nonce, authTime },
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
    takeStep: (known: KnownRequest, browser: Browser) => Promise<Reply>,
  ) => {
    const known = checkRequest(await checkApp(deps, { query, repeated }), settings);
    if ("error" in known) throw new ApiError("bad-request", { message: known.error_description });
    requireSameOrigin(headers, deps.config.publicUrl);
    const browser = await readBrowser(deps, cookiesNamed);
    if (browser === undefined) return startAgain(known);
    const form = { flow, query: known.query, token: body.form_token };
    return (await isFormOf(deps, browser.session, form)) ? takeStep(known, browser) : proceed(known);
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
        if (user !== undefined) return allow(known, { user, authTime: undefined });
        return answer(known, { error: "access_denied", error_description: "The user has logged out" });
      }
      const browser = await meetBrowser(deps, cookiesNamed);
      if (signIn?.prompt.has("none") && !isHead) {
        const signedIn = await findSilent(deps, known, browser);
        return "error" in signedIn ? answer(known, { ...signedIn }) : allow(known, signedIn);
      }
      return { status: 200, ...(await showStep(deps, known, { ...browser, headers })) };
    },

    "post-authorize-login": (input) =>
      onForm(input, async (known, { session }) =>
        proceedAfter(known, await checkLogInPassword(logInDeps, session, input.body, input.sourceIp)),
      ),

    "post-authorize-code": (input) =>
      onForm(input, async (known, { session }) => {
        if (session.step !== "password-given") return proceed(known);
        return proceedAfter(known, await checkLogInCode(logInDeps, session, input.body.code, input.sourceIp));
      }),

    "post-authorize-decision": (input) =>
      onForm(input, async (known, browser) => {
        const signedIn = await findSignedIn(deps, known, browser);
        if (signedIn === undefined) return startAgain(known);
        return input.body.decision === "allow"
          ? allow(known, signedIn)
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

    "post-authorize-company": (input) =>
      onForm(input, async (known, { session }) => {
        const location = await orderCompanyLogin(deps, input.body.company, {
          sid: session.sid,
          returnTo: `/authorize/company?${queryAfterLogIn(known)}`,
          ...(wantsFreshLogIn(known) && { isFresh: true }),
        });
        if (location === undefined) return proceed(known, { ...session, problem: "unknown-company" });
        return { status: 303, headers: { location } } as const;
      }),

    "get-authorize-company": async ({ query: { proof, ...query }, repeated, cookiesNamed }) => {
      const known = checkRequest(await checkApp(deps, { query, repeated }), settings);
      if ("error" in known) throw new ApiError("bad-request", { message: known.error_description });
      const session = await readSession(deps, flow, cookiesNamed);
      const user = session && (await verifyProof(deps, proof, session.sid));
      return user === undefined ? startAgain(known) : proceed(known, await logInDeps.begin(user));
    },

    "post-authorize-logout": (input) =>
      onForm(input, (known) => proceed(known, newSession("started", { isSeparate: true }))),
  };
}
