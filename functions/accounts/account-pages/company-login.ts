import { beginSession, accountFlow as flow } from "#shared/accounts/page-login/account-session.ts";
import { usualReturnPath, verifyProof } from "#shared/accounts/page-login/company-login.ts";
import { isFormOf, newSession, readSession } from "#shared/accounts/page-login/page-session.ts";
import { requireSameOrigin } from "#shared/platform/html/form-origin.ts";
import { orderCompanyLogin } from "#shared/provisioning/order-company-login.ts";
import type { Deps } from "./deps.ts";
import { attempt, type SentForm } from "./on-form.ts";
import { type PageRequest, proceed } from "./show-page.ts";

/**
 * Send a browser to the login of its user's company, by the form on the page.
 * @throws ApiError `bad-request` for a form of another site
 */
export async function leaveForCompany(
  deps: Deps,
  { body, headers, cookiesNamed }: SentForm & { readonly body: { readonly company: string } },
) {
  requireSameOrigin(headers, deps.config.publicUrl);
  const session = await readSession(deps, flow, cookiesNamed);
  if (session === undefined)
    return proceed(deps, "profile", newSession("started", { problem: "session-ended" }));
  const isOurs = await isFormOf(deps, session, { flow, query: "", token: body.form_token });
  if (!isOurs || session.step === "logged-in") return proceed(deps, "profile");
  const order = { sid: session.sid, returnTo: usualReturnPath };
  const location = await orderCompanyLogin(deps, body.company, order);
  if (location === undefined) return proceed(deps, "profile", { ...session, problem: "unknown-company" });
  return { status: 303, headers: { location } } as const;
}

/** Let in a browser that comes back with the proof of a login; in any other browser, the proof does nothing. */
export async function returnFromCompany(
  deps: Deps,
  { query, cookiesNamed }: PageRequest & { readonly query: { readonly proof: string } },
) {
  const session = await readSession(deps, flow, cookiesNamed);
  if (session?.step === "logged-in") return proceed(deps, "profile");
  const proof = session && (await verifyProof(deps, query.proof, session.sid));
  if (proof === undefined)
    return proceed(deps, "profile", newSession("started", { problem: "session-ended" }));
  let next = newSession("started");
  const problem = await attempt(async () => {
    next = await beginSession(deps, proof);
  });
  return proceed(deps, "profile", problem === undefined ? next : { ...next, outcome: problem });
}
