import { type Order, signOrder } from "#shared/accounts/page-login/company-login.ts";
import { type Clock, toSeconds } from "#shared/platform/clock.ts";
import { parseDomain } from "#shared/platform/domain-name.ts";
import { domainOfEmail } from "#shared/platform/email-address.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { JwtSigner } from "#shared/sessions/tokens/jwt.ts";
import type { RegisteredDomainStore } from "#shared/teams/registered-domains/registered-domain-store.ts";
import type { DefaultProviderStore } from "./default-provider-store.ts";

interface Deps {
  readonly clock: Clock;
  readonly defaultProvider: DefaultProviderStore;
  readonly domains: RegisteredDomainStore;
  readonly settings: Settings;
  readonly signer: JwtSigner;
}

/**
 * Order a login through the company that a person has named on a page.
 *
 * @param company a login code, with or without its prefix, or an address; empty for the default company
 * @returns where to send the browser; undefined if no company is known by this text
 */
export async function orderCompanyLogin(
  deps: Deps,
  company: string,
  order: Omit<Order, "idp">,
): Promise<string | undefined> {
  const { clock, settings } = deps;
  const idp = await identityProviderOf(deps, company.trim());
  if (idp === undefined) return undefined;
  const exp = toSeconds(clock()) + settings.saml.requestLifetimeSecs;
  const query = new URLSearchParams({ order: await signOrder(deps, { ...order, idp }, exp) });
  return `/sso/initiate-login/${idp}?${query}`;
}

async function identityProviderOf(
  { defaultProvider, domains }: Pick<Deps, "defaultProvider" | "domains">,
  text: string,
): Promise<string | undefined> {
  if (text === "") return defaultProvider.get();
  const [code] = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.exec(text.toLowerCase()) ?? [];
  if (code !== undefined) return code;
  const domain = text.includes("@") ? domainOfEmail(text) : parseDomain(text);
  const redirect = domain === undefined ? undefined : (await domains.rulesOf(domain))?.redirect;
  return redirect?.kind === "sso" ? redirect.identityProviderId : undefined;
}
