import { isDeepStrictEqual } from "node:util";
import type { Claim } from "#shared/accounts/account.ts";
import { type SamlIdentity, samlClaim, samlClaimsInTeam } from "#shared/accounts/provisioned-identity.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { retryStale } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { toApiError } from "#shared/platform/http/to-api-error.ts";
import type { IdentityProvider } from "#shared/provisioning/identity-provider.ts";
import { ReplayError, type SeenAssertion } from "#shared/provisioning/login-request-store.ts";
import type { ErrorName } from "#shared/registry/errors.ts";
import type { Deps } from "../deps.ts";
import { XmlError } from "../parse-xml.ts";
import { entityIdOf, serviceProviderAt } from "../service-provider/service-provider.ts";
import { endOf, judge, toleranceMilliseconds } from "./judge.ts";
import { type LetIn, letIn } from "./let-in.ts";
import { LoginDeniedError } from "./login-denied-error.ts";
import { errorLocation, successLocation } from "./redirects.ts";
import {
  type Assertion,
  type Response,
  readResponse,
  readSignedAssertion,
} from "./response/read-response.ts";
import { SignatureError, verifyAssertion } from "./response/verify-assertion.ts";
import { signingKeys } from "./signing-keys.ts";

interface Command {
  /** In base64. */
  readonly samlResponse: string | undefined;
  /** The team of the identity provider, in version 2. */
  readonly teamId: string | undefined;
  /** The requested host. */
  readonly host: string;
  readonly sourceIp: string;
  readonly requestId: string;
}

/** The outcome of a login, and the addresses at which an app is told. */
export type LoginResult =
  /** Started by the identity provider, which is not allowed. */
  | { readonly kind: "restart"; readonly location: string }
  | ({ readonly kind: "granted"; readonly location: string | undefined } & LetIn)
  | {
      readonly kind: "denied";
      readonly location: string | undefined;
      readonly label: string;
      readonly reasons: readonly string[];
    };

/** What the log records of a login: neither names nor assertions. */
interface Trace {
  requestId: string;
  idpId?: string;
  teamId?: string | undefined;
  userId?: string | undefined;
}

/** Errors of responses that anybody could send, because the identity provider has not signed them as they are. */
const documentErrors: ReadonlySet<string> = new Set([
  "bad-response-saml",
  "bad-response-xml",
  "bad-response-issuers",
  "bad-response-signature",
  "not-found",
  "idp-non-unique",
  "cannot-mix-idp-api-versions",
  "invalid-certificate",
] satisfies ErrorName[]);

/**
 * Finish a login with the response of an identity provider (SAML profiles 4.1.4.3). Every outcome is logged. Reading a
 * response is expensive, so the number of unusable ones is limited per network.
 *
 * @throws ApiError as the route lists, for an unusable response
 * @throws RateLimitedError
 */
export async function finalizeLogin(
  deps: Deps,
  { requestId, sourceIp, ...command }: Command,
): Promise<LoginResult> {
  const trace: Trace = { requestId, teamId: command.teamId };
  const received = { sourceIp, samlResponse: command.samlResponse };
  const note = (outcome: string, details: object = {}) =>
    deps.log.info("single-sign-on-login", { outcome, ...details, ...trace });
  try {
    await deps.badResponses.check(received);
    const result = await retryStale(() => answerResponse(deps, command, trace)).catch(async (error) => {
      if (error instanceof ApiError && documentErrors.has(error.error))
        await deps.badResponses.charge(received);
      throw error;
    });
    note(
      result.kind === "denied" ? result.label : result.kind,
      result.kind === "denied" ? { reasons: result.reasons } : {},
    );
    return result;
  } catch (error) {
    const { label, cause } = toApiError(error);
    note(label, { reasons: [cause instanceof Error ? cause.message : cause] });
    throw error;
  }
}

/** One attempt: when something changes meanwhile, everything is read, verified and decided again. */
async function answerResponse(
  deps: Deps,
  { samlResponse, teamId, host }: Omit<Command, "requestId" | "sourceIp">,
  trace: Trace,
): Promise<LoginResult> {
  const { clock, loginRequests, settings } = deps;
  const serviceProvider = serviceProviderAt(host, deps);
  if (samlResponse === undefined) throw new ApiError("bad-response-saml", { cause: "no response" });
  const xml = decode(samlResponse);
  const claimed = read(xml);
  const issuer = commonIssuer(claimed);

  // What is looked up here with unverified texts is used only if the signed texts turn out the same.
  const requestId = onlyRequestId(claimed.assertions);
  const { nameId } = claimed.assertions[0];
  const [request, provider, claim] = await Promise.all([
    requestId === undefined ? undefined : loginRequests.get(requestId),
    findProvider(deps, { issuer, teamId }),
    findClaim(deps, { issuer, nameId, teamId }),
  ]);
  trace.idpId = provider.id;
  trace.teamId = provider.teamId;
  const assertions = verify(xml, claimed, provider);

  const requestIds = requestIdsIn(assertions);
  if (requestIds.size === 0) {
    const { pathname } = new URL(serviceProvider.spSsoUri);
    return { kind: "restart", location: `${pathname}/initiate-login/${provider.id}` };
  }
  const now = clock();
  const isKnown =
    request !== undefined && request.purgeAtSeconds > toSeconds(now) && requestIds.has(request.id);
  const reasons = judge(assertions, {
    request: isKnown ? request : undefined,
    provider,
    entityId: entityIdOf(serviceProvider, teamId),
    isSuccess: claimed.isSuccess,
    maxLifetimeSeconds: settings.saml.maxAssertionLifetimeSecs,
    now,
  });
  if (!isKnown || requestIds.size > 1)
    throw new ApiError("login-request-gone", { cause: reasons.join("; ") });

  const { redirects, label } = request;
  const denied = (error: Pick<LoginDeniedError, "label" | "reasons">): LoginResult => ({
    kind: "denied",
    location: redirects && errorLocation(redirects, error.label),
    label: error.label,
    reasons: error.reasons,
  });
  if (reasons.length > 0) return denied({ label: "forbidden", reasons });
  // Fails before anything changes if the app cannot be told.
  if (redirects !== undefined) successLocation(redirects, { setCookie: "zuid=", userId: provider.id });

  trace.userId = claim?.userId;
  const consumption = loginRequests.answer(request, assertions.map(toSeen));
  try {
    const { userId, setCookie } = await letIn(deps, { provider, nameId, claim }, { label, consumption });
    trace.userId = userId;
    const location = redirects && successLocation(redirects, { setCookie, userId });
    return { kind: "granted", location, userId, setCookie };
  } catch (error) {
    return denied(toDenial(error));
  }
}

/** Finds the claim on a name, for a provider of version 2 among the users of its team. */
async function findClaim(
  { accounts }: Pick<Deps, "accounts">,
  { teamId, ...identity }: Pick<SamlIdentity, "issuer" | "nameId"> & { teamId: string | undefined },
): Promise<Claim | undefined> {
  if (teamId === undefined) return accounts.findClaim(samlClaim(identity));
  const claims = await accounts.findClaims(samlClaimsInTeam(teamId, identity));
  return claims.find((claim) => claim?.teamId === teamId);
}

/** @throws any error that does not decide the login */
function toDenial(error: unknown): Pick<LoginDeniedError, "label" | "reasons"> {
  if (error instanceof LoginDeniedError) return error;
  if (error instanceof ReplayError) return { label: "forbidden", reasons: [error.message] };
  if (error instanceof ApiError && !error.isFault) return { label: error.label, reasons: [error.message] };
  throw error;
}

/** Characters that base64 does not have are skipped. @throws ApiError `bad-response-xml` */
function decode(samlResponse: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(samlResponse, "base64"));
  } catch (cause) {
    throw new ApiError("bad-response-xml", { cause });
  }
}

/** @throws ApiError `bad-response-xml` */
function read(xml: string): Response {
  try {
    return readResponse(xml);
  } catch (cause) {
    if (cause instanceof XmlError) throw new ApiError("bad-response-xml", { cause });
    throw cause;
  }
}

/** @throws ApiError `bad-response-saml`, `bad-response-issuers` */
function commonIssuer({ issuer, assertions }: Response): string {
  if (issuer === undefined) throw new ApiError("bad-response-saml", { cause: "no issuer" });
  if (assertions.some((assertion) => assertion.issuer !== issuer)) throw new ApiError("bad-response-issuers");
  return issuer;
}

/**
 * Finds the identity provider with an issuer: in version 1 within the installation, in version 2 within the team.
 * @throws ApiError `not-found`, `idp-non-unique`, `cannot-mix-idp-api-versions`
 */
async function findProvider(
  deps: Deps,
  { issuer, teamId }: { readonly issuer: string; readonly teamId: string | undefined },
): Promise<IdentityProvider> {
  const idpId = await (teamId === undefined
    ? findInInstallation(deps, issuer)
    : findInTeam(deps, { issuer, teamId }));
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

async function findInTeam(
  { provisioning }: Deps,
  { issuer, teamId }: { readonly issuer: string; readonly teamId: string },
): Promise<string> {
  const { providers } = await provisioning.get(teamId);
  const known = providers.find((provider) => provider.issuer === issuer);
  if (known === undefined) throw new ApiError("not-found", { cause: "unknown issuer" });
  if (known.apiVersion === "v1") throw new ApiError("cannot-mix-idp-api-versions");
  return known.id;
}

/**
 * Verifies all assertions. Some identity providers indent the document after signing it, so verification is also tried
 * without the indentation.
 *
 * @returns what was signed
 * @throws ApiError `invalid-certificate`, `bad-response-saml`, `bad-response-signature`
 */
function verify(xml: string, claimed: Response, provider: IdentityProvider): Assertion[] {
  const keys = signingKeys(provider);
  if (claimed.assertions.some(({ id }) => id === undefined))
    throw new ApiError("bad-response-saml", { cause: "an assertion without id" });
  const verifyIn = (text: string, { elements }: Response) => {
    const signed = elements.map((element) => readSignedAssertion(verifyAssertion(text, element, keys)));
    if (!isDeepStrictEqual(signed, claimed.assertions)) throw new SignatureError("the signed texts differ");
    return signed;
  };
  try {
    try {
      return verifyIn(xml, claimed);
    } catch (error) {
      const compact = xml.replaceAll("> <", "><");
      if (!(error instanceof SignatureError) || compact === xml) throw error;
      return verifyIn(compact, readResponse(compact));
    }
  } catch (cause) {
    if (cause instanceof SignatureError || cause instanceof XmlError)
      throw new ApiError("bad-response-signature", { cause });
    throw cause;
  }
}

const requestIdsIn = (assertions: readonly Assertion[]): Set<string> =>
  new Set(
    assertions.flatMap(({ confirmations }) =>
      confirmations.flatMap(({ inResponseTo }) => inResponseTo ?? []),
    ),
  );

/** The id of the request that assertions seem to answer, if it could be one of ours. */
function onlyRequestId(assertions: readonly Assertion[]): string | undefined {
  const [id, ...others] = requestIdsIn(assertions);
  return others.length === 0 && id !== undefined && /^_[\da-f-]{36}$/.test(id) ? id : undefined;
}

const toSeen = (assertion: Assertion): SeenAssertion => ({
  issuer: assertion.issuer,
  id: assertion.id ?? "",
  purgeAtSeconds: toSeconds(endOf(assertion) + toleranceMilliseconds) + 1,
});
