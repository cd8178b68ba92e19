import { ApiError } from "#shared/platform/http/api-error.ts";
import type { IdentityProvider } from "#shared/provisioning/identity-provider.ts";
import type { IdentityProviderStore } from "#shared/provisioning/identity-provider-store.ts";
import type { TeamProvisioning } from "#shared/provisioning/team-provisioning.ts";
import type { ErrorName } from "#shared/registry/errors.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { hasFeature } from "#shared/teams/features/effective-feature.ts";
import type { TeamFeatures } from "#shared/teams/features/feature.ts";

/** Rules for new and changed identity providers. Writes repeat those that others could break meanwhile. */

/** Number of former issuers under which users are still found. */
const maxOldIssuers = 20;

const loopbackHosts = ["127.0.0.1", "[::1]", "localhost"];

/** @throws ApiError `sso-disabled` */
export function checkEnabled(features: TeamFeatures, settings: Settings): void {
  if (!hasFeature("sso", features, settings)) throw new ApiError("sso-disabled");
}

/** @throws ApiError `idp-duplicate-domain-for-team` */
export function checkDomain(
  { providers }: TeamProvisioning,
  { id, domain }: Pick<Partial<IdentityProvider>, "id" | "domain">,
): void {
  const isTaken =
    domain !== undefined && providers.some((other) => other.domain === domain && other.id !== id);
  if (isTaken) throw new ApiError("idp-duplicate-domain-for-team");
}

/** @throws ApiError `idp-must-be-https` */
export function checkAddress(
  { requestUri }: Pick<IdentityProvider, "requestUri">,
  { saml }: Pick<Settings, "saml">,
): void {
  const { protocol, hostname } = new URL(requestUri);
  if (protocol === "https:") return;
  const isLocal = protocol === "http:" && loopbackHosts.includes(hostname);
  if (!(isLocal && saml.allowsHttpOnLoopback)) throw new ApiError("idp-must-be-https");
}

/** @throws ApiError `taken`, `cannot-mix-idp-api-versions` */
export function checkIssuer(
  { providers, purgedIssuers = [] }: TeamProvisioning,
  { issuer, apiVersion }: Pick<IdentityProvider, "issuer" | "apiVersion">,
  holder: Awaited<ReturnType<IdentityProviderStore["findIssuer"]>>,
  taken: ErrorName,
): void {
  const isTakenInTeam =
    purgedIssuers.includes(issuer) ||
    providers.some((other) => other.issuer === issuer && other.apiVersion === apiVersion);
  if (isTakenInTeam || (apiVersion === "v1" && holder?.apiVersion === "v1")) throw new ApiError(taken);
  if (holder !== undefined && holder.apiVersion !== apiVersion)
    throw new ApiError("cannot-mix-idp-api-versions");
}

/** The earlier issuers under which an identity provider with this issuer still finds users. */
export const oldIssuersAfter = (
  former: Pick<IdentityProvider, "issuer" | "oldIssuers">,
  issuer: string,
): string[] =>
  [...new Set([former.issuer, ...former.oldIssuers])].filter((old) => old !== issuer).slice(0, maxOldIssuers);

/** An identity provider as the list of a team shows it. */
export const toListed = ({ id, issuer, apiVersion, handle, domain }: Omit<IdentityProvider, "revision">) => ({
  id,
  issuer,
  apiVersion,
  handle,
  domain,
});
