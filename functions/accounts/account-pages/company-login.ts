import { signOrder, verifyProof } from "#shared/accounts/page-login/company-login.ts";
import { isFormOf, newSession, readSession } from "#shared/accounts/page-login/page-session.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { parseDomain } from "#shared/platform/domain-name.ts";
import { domainOfEmail } from "#shared/platform/email-address.ts";
import { requireSameOrigin } from "#shared/platform/html/form-origin.ts";
import { beginSession, accountFlow as flow } from "./account-session.ts";
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
  const { clock, config, settings } = deps;
  requireSameOrigin(headers, config.publicUrl);
  const session = await readSession(deps, flow, cookiesNamed);
  if (session === undefined)
    return proceed(deps, "profile", newSession("started", { problem: "session-ended" }));
  const isOurs = await isFormOf(deps, session, { flow, query: "", token: body.form_token });
  if (!isOurs || session.step === "logged-in") return proceed(deps, "profile");
  const idp = await identityProviderOf(deps, body.company.trim());
  if (idp === undefined) return proceed(deps, "profile", { ...session, outcome: "unknown-company" });
  const exp = toSeconds(clock()) + settings.saml.requestLifetimeSecs;
  const query = new URLSearchParams({ order: await signOrder(deps, { sid: session.sid, idp }, exp) });
  return { status: 303, headers: { location: `/sso/initiate-login/${idp}?${query}` } } as const;
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

/** The text of the field: a login code, with or without its prefix, or an address; empty for the default company. */
async function identityProviderOf(
  { defaultProvider, domains }: Deps,
  text: string,
): Promise<string | undefined> {
  if (text === "") return defaultProvider.get();
  const [code] = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.exec(text.toLowerCase()) ?? [];
  if (code !== undefined) return code;
  const domain = text.includes("@") ? domainOfEmail(text) : parseDomain(text);
  const redirect = domain === undefined ? undefined : (await domains.rulesOf(domain))?.redirect;
  return redirect?.kind === "sso" ? redirect.identityProviderId : undefined;
}
