import { accountFlow as flow, type Visitor, visitorOf } from "#shared/accounts/page-login/account-session.ts";
import {
  isFormOf,
  newSession,
  type PageSession,
  readSession,
} from "#shared/accounts/page-login/page-session.ts";
import { requireSameOrigin } from "#shared/platform/html/form-origin.ts";
import type { ApiError } from "#shared/platform/http/api-error.ts";
import { toApiError } from "#shared/platform/http/to-api-error.ts";
import type { ErrorName } from "#shared/registry/errors.ts";
import type { Deps } from "./deps.ts";
import type { PageName } from "./pages/layout.ts";
import type { Outcome, Problem } from "./pages/outcomes.ts";
import { type PageRequest, proceed } from "./show-page.ts";

/** A form that a browser has sent. */
export interface SentForm extends PageRequest {
  readonly body: { readonly form_token: string };
}

/**
 * Take the step of a form that we gave to this browser; an outdated form leads to its page and does nothing.
 * @throws ApiError `bad-request` for a form of another site
 */
export async function onForm(
  deps: Deps,
  { body, headers, cookiesNamed }: SentForm,
  page: PageName,
  takeStep: (session: PageSession) => Promise<PageSession | undefined>,
) {
  requireSameOrigin(headers, deps.config.publicUrl);
  const session = await readSession(deps, flow, cookiesNamed);
  if (session === undefined)
    return proceed(deps, "profile", newSession("started", { problem: "session-ended" }));
  const isOurs = await isFormOf(deps, session, { flow, query: "", token: body.form_token });
  if (!isOurs) return proceed(deps, page);
  const next = await takeStep(session);
  return proceed(deps, next?.step === "logged-in" || next === undefined ? page : "profile", next);
}

/**
 * The same for a form of somebody who is logged in.
 * @param act returns the outcome, the problem, or another session if this one has ended
 */
export const onOwnForm = (
  deps: Deps,
  form: SentForm,
  page: PageName,
  act: (visitor: Visitor) => Promise<Outcome | PageSession>,
) =>
  onForm(deps, form, page, async (session) => {
    const visitor = await visitorOf(deps, session);
    if (visitor === undefined) {
      return session.step === "logged-in" ? newSession("started", { problem: "session-ended" }) : undefined;
    }
    const result = await act(visitor);
    return typeof result === "string" ? { ...session, outcome: result } : result;
  });

const problems: Partial<Record<ErrorName, Problem>> = {
  "invalid-credentials": "wrong-password",
  "application-access-denied": "wrong-password",
  "missing-auth": "wrong-password",
  "login-budget-exhausted": "too-many-attempts",
  "too-many-requests": "too-many-attempts",
  "managed-by-scim": "managed",
  "handle-exists": "handle-taken",
  "invalid-handle": "invalid-handle",
  "password-must-differ": "same-password",
  "no-self-delete-for-team-owner": "team-owner",
  "concurrent-change": "again",
};

/** Run an action of a form. @returns the problem, if the user can correct it; every other error is thrown */
export async function attempt(action: () => Promise<unknown>): Promise<Problem | undefined> {
  try {
    await action();
    return undefined;
  } catch (error) {
    const { error: name }: ApiError = toApiError(error);
    const problem = problems[name];
    if (problem === undefined) throw error;
    return problem;
  }
}
