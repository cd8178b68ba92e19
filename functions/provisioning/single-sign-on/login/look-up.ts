import type { Claim } from "#shared/accounts/account.ts";
import { type NameId, samlClaim, samlClaimsInTeam } from "#shared/accounts/provisioned-identity.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { IdentityProvider } from "#shared/provisioning/identity-provider.ts";
import type { LoginRequest } from "#shared/provisioning/login-request.ts";
import type { Deps } from "../deps.ts";
import type { ClaimedResponse } from "./response/open-response.ts";
import type { Assertion } from "./response/read-response.ts";

/** The subject of a response, provided that its texts turn out to be signed. */
export interface Found {
  readonly request: LoginRequest | undefined;
  readonly provider: IdentityProvider;
  /** The claim on the identity of the subject. */
  readonly claim: Claim | undefined;
}

/**
 * Look up what a response names, before it is verified.
 *
 * @param teamId of a provider of version 2
 * @throws ApiError `not-found`, `idp-non-unique`, `cannot-mix-idp-api-versions`
 */
export async function lookUp(
  deps: Deps,
  { issuer, assertions }: ClaimedResponse,
  teamId: string | undefined,
): Promise<Found> {
  const [assertion] = assertions;
  const requestId = onlyRequestId(assertions);
  const [request, provider, claim] = await Promise.all([
    requestId === undefined ? undefined : deps.loginRequests.get(requestId),
    findProvider(deps, issuer, teamId),
    findClaim(deps, { issuer, names: spellingsOf(assertion) }, teamId),
  ]);
  return { request, provider, claim };
}

/** The ids of the requests that assertions answer. */
export const requestIdsIn = (assertions: readonly Assertion[]): Set<string> =>
  new Set(
    assertions.flatMap(({ confirmations }) =>
      confirmations.flatMap(({ inResponseTo }) => inResponseTo ?? []),
    ),
  );

/** The id of the request that assertions seem to answer, if it could be one of ours. */
function onlyRequestId(assertions: readonly Assertion[]): string | undefined {
  const [id, ...others] = requestIdsIn(assertions);
  return others.length === 0 && isRequestId(id) ? id : undefined;
}

/** Whether an id could be that of one of our requests. */
export const isRequestId = (id: string | undefined): id is string =>
  id !== undefined && /^_[\da-f-]{36}$/.test(id);

/** The name in an assertion, and how it was claimed by versions that kept the white space around it. */
export const spellingsOf = ({ nameId, sentName }: Assertion): readonly [NameId, ...NameId[]] =>
  sentName === nameId.text ? [nameId] : [nameId, { ...nameId, text: sentName }];

/** Finds the identity provider with an issuer: in version 1 within the installation, in version 2 within the team. */
async function findProvider(
  deps: Deps,
  issuer: string,
  teamId: string | undefined,
): Promise<IdentityProvider> {
  const idpId = await (teamId === undefined
    ? findInInstallation(deps, issuer)
    : findInTeam(deps, issuer, teamId));
  const provider = await deps.identityProviders.get(idpId);
  if (provider?.issuer !== issuer)
    throw new ApiError("not-found", { cause: "the issuer is no longer in use" });
  return provider;
}

async function findInInstallation({ identityProviders }: Deps, issuer: string): Promise<string> {
  const known = await identityProviders.findIssuer(issuer);
  if (known === undefined) throw new ApiError("not-found", { cause: "unknown issuer" });
  if (known.idpId !== undefined) return known.idpId;
  throw new ApiError(known.count > 1 ? "idp-non-unique" : "cannot-mix-idp-api-versions");
}

async function findInTeam({ provisioning }: Deps, issuer: string, teamId: string): Promise<string> {
  const { providers } = await provisioning.get(teamId);
  const known = providers.find((provider) => provider.issuer === issuer);
  if (known === undefined) throw new ApiError("not-found", { cause: "unknown issuer" });
  if (known.apiVersion === "v1") throw new ApiError("cannot-mix-idp-api-versions");
  return known.id;
}

/** Finds the claim on a name, for a provider of version 2 among the users of its team. */
async function findClaim(
  { accounts }: Pick<Deps, "accounts">,
  { issuer, names }: { readonly issuer: string; readonly names: readonly NameId[] },
  teamId: string | undefined,
): Promise<Claim | undefined> {
  const identities = names.map((nameId) => ({ issuer, nameId }));
  if (teamId === undefined)
    return (await accounts.findClaims(identities.map(samlClaim))).find((claim) => claim !== undefined);
  const claims = await accounts.findClaims(
    identities.flatMap((identity) => samlClaimsInTeam(teamId, identity)),
  );
  return claims.find((claim) => claim?.teamId === teamId);
}

/** Finds the claim on a name under the newest of the provider's earlier issuers under which the team has the user. */
export async function findClaimUnderOldIssuers(
  { accounts }: Pick<Deps, "accounts">,
  { oldIssuers, teamId }: IdentityProvider,
  names: readonly NameId[],
): Promise<Claim | undefined> {
  if (oldIssuers.length === 0) return undefined;
  const claims = await accounts.findClaims(
    oldIssuers.flatMap((issuer) => names.flatMap((nameId) => samlClaimsInTeam(teamId, { issuer, nameId }))),
  );
  return claims.find((claim) => claim?.teamId === teamId);
}
