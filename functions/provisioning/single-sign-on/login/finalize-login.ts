import { returnLocation, usualReturnPath } from "#shared/accounts/page-login/company-login.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { retryStale } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { toApiError } from "#shared/platform/http/to-api-error.ts";
import type { LoginRequest } from "#shared/provisioning/login-request.ts";
import { ReplayError } from "#shared/provisioning/login-request-store.ts";
import type { ErrorName } from "#shared/registry/errors.ts";
import type { Deps } from "../deps.ts";
import { entityIdOf, serviceProviderAt } from "../service-provider/service-provider.ts";
import { failureReason, judge, LoginDeniedError, toSeen } from "./judge.ts";
import { type LetIn, letIn, recognise } from "./let-in.ts";
import { isRequestId, lookUp, requestIdsIn, spellingsOf } from "./look-up.ts";
import { errorLocation, successLocation } from "./redirects.ts";
import { openResponse, verifyResponse } from "./response/open-response.ts";
import type { Assertion, FailureResponse } from "./response/read-response.ts";

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

type Denial = Pick<LoginDeniedError, "label" | "reasons">;

/** The outcome of a login, and the addresses at which an app is told. */
export type LoginResult =
  /** Started by the identity provider, which is not allowed. */
  | { readonly kind: "restart"; readonly location: string }
  /** On its way back to our pages, which open a session of their own. */
  | { readonly kind: "recognised"; readonly location: string }
  | ({ readonly kind: "granted"; readonly location: string | undefined } & LetIn)
  | ({
      readonly kind: "denied";
      readonly location: string | undefined;
      /** Whether the refusal is unsigned, so that anybody could have written it. */
      readonly isUnsigned?: true;
    } & Denial);

/** The log entry of a login: neither names nor assertions. */
interface Trace {
  requestId: string;
  idpId?: string;
  teamId?: string | undefined;
  userId?: string | undefined;
  /** The identity provider's own account of its failure. */
  providerStatus?: string;
}

/** Errors of responses that anybody could send, because they are not validly signed by the identity provider. */
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
    if (result.kind === "denied" && result.isUnsigned) await deps.badResponses.charge(received);
    if (result.kind === "denied") note(result.label, { reasons: result.reasons });
    else note(result.kind);
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
  const serviceProvider = serviceProviderAt(host, deps);
  const response = openResponse(samlResponse);
  if (!response.status.isSuccess) trace.providerStatus = response.status.words;
  if (!("assertions" in response)) return reportFailure(deps, response, trace);
  // Found by unverified texts, and used only because the signed texts turn out the same.
  const { request, provider, claim } = await lookUp(deps, response, teamId);
  Object.assign(trace, { idpId: provider.id, teamId: provider.teamId });
  const { assertions, attributes } = verifyResponse(response, provider);
  const requestIds = requestIdsIn(assertions);
  if (requestIds.size === 0) {
    const { pathname } = new URL(serviceProvider.spSsoUri);
    return { kind: "restart", location: `${pathname}/initiate-login/${provider.id}` };
  }
  const now = deps.clock();
  const isKnown =
    request !== undefined && request.purgeAtSeconds > toSeconds(now) && requestIds.has(request.id);
  const reasons = judge(assertions, {
    request: isKnown ? request : undefined,
    provider,
    entityId: entityIdOf(serviceProvider, teamId),
    isSuccess: response.status.isSuccess,
    maxLifetimeSeconds: deps.settings.saml.maxAssertionLifetimeSecs,
    now,
  });
  if (!isKnown || requestIds.size > 1)
    throw new ApiError("login-request-gone", { cause: reasons.join("; ") });
  const { redirects, label, pageSession, returnTo } = request;
  if (reasons.length > 0) return denied(redirects, { label: "forbidden", reasons });
  // Fails before anything changes if the app cannot be told.
  if (redirects !== undefined) successLocation(redirects, { setCookie: "zuid=", userId: provider.id });

  trace.userId = claim?.userId;
  const consumption = deps.loginRequests.answer(request, assertions.map(toSeen));
  const subject = { provider, names: spellingsOf(response.assertions[0]), claim, attributes };
  try {
    if (pageSession !== undefined) {
      const { userId, sessionEpoch } = await recognise(deps, subject, consumption);
      trace.userId = userId;
      const proof = { sid: pageSession, sub: userId, epoch: sessionEpoch, ...authTimeOf(assertions, now) };
      const location = await returnLocation(deps, returnTo ?? usualReturnPath, proof, toSeconds(now));
      return { kind: "recognised", location };
    }
    const { userId, setCookie } = await letIn(deps, subject, { label, consumption });
    trace.userId = userId;
    const location = redirects && successLocation(redirects, { setCookie, userId });
    return { kind: "granted", location, userId, setCookie };
  } catch (error) {
    return denied(redirects, toDenial(error));
  }
}

/** When the identity provider asked the person to log in, if it says so. */
function authTimeOf(assertions: readonly Assertion[], now: number): { authTime?: number } {
  const instants = assertions.flatMap(({ authentications }) => authentications.map(({ instant }) => instant));
  return instants.length === 0 ? {} : { authTime: toSeconds(Math.min(now, Math.max(...instants))) };
}

/** Tell the person, or the app, that the identity provider has failed. The login stays open: nothing is signed. */
async function reportFailure(
  deps: Deps,
  { inResponseTo }: FailureResponse,
  trace: Trace,
): Promise<LoginResult> {
  const request = isRequestId(inResponseTo) ? await deps.loginRequests.get(inResponseTo) : undefined;
  const isOpen = request !== undefined && !request.isAnswered && request.expiresAt > deps.clock();
  if (isOpen) trace.idpId = request.idpId;
  const denial = { label: "forbidden", reasons: [failureReason] };
  return { ...denied(isOpen ? request.redirects : undefined, denial), isUnsigned: true };
}

const denied = (redirects: LoginRequest["redirects"], { label, reasons }: Denial) => ({
  kind: "denied" as const,
  location: redirects && errorLocation(redirects, label),
  label,
  reasons,
});

/** @throws any error that does not decide the login */
function toDenial(error: unknown): Denial {
  if (error instanceof LoginDeniedError) return error;
  if (error instanceof ReplayError) return { label: "forbidden", reasons: [error.message] };
  if (error instanceof ApiError && !error.isFault) return { label: error.label, reasons: [error.message] };
  throw error;
}
