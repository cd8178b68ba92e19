import { isDeepStrictEqual } from "node:util";
import { toSeconds } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { IdentityProvider } from "#shared/provisioning/identity-provider.ts";
import type { LoginRequest } from "#shared/provisioning/login-request.ts";
import type { SeenAssertion } from "#shared/provisioning/login-request-store.ts";
import type { Assertion, Confirmation } from "./response/read-response.ts";

/** How much clocks may differ. */
const toleranceMilliseconds = 60_000;

/** Validity of an assertion without an end. */
const defaultLifetimeMilliseconds = 30 * 24 * 60 * 60 * 1000;

/** The facts by which assertions are judged. */
interface Circumstances {
  /** The login that they answer; undefined if it is unknown or has expired. */
  readonly request: LoginRequest | undefined;
  readonly provider: Pick<IdentityProvider, "id" | "issuer">;
  /** Entity id of the service provider, and the address at which it takes responses. */
  readonly entityId: string;
  /** Whether the identity provider says that the login succeeded. */
  readonly isSuccess: boolean;
  readonly maxLifetimeSeconds: number;
  readonly now: number;
}

export const failureReason = "Status: the identity provider reports that the login failed";

/** Until when an assertion holds, in Unix milliseconds. */
const endOf = ({ notOnOrAfter, issueInstant }: Assertion): number =>
  notOnOrAfter ?? issueInstant + defaultLifetimeMilliseconds;

/** The record of an assertion, kept for as long as it would be accepted. */
export const toSeen = (assertion: Assertion): SeenAssertion => ({
  issuer: assertion.issuer,
  id: assertion.id ?? "",
  purgeAtSeconds: toSeconds(endOf(assertion) + toleranceMilliseconds) + 1,
});

/**
 * Decides whether verified assertions let a user in (SAML profiles 4.1.4.3).
 *
 * @returns why they do not; empty when they do
 * @throws ApiError `ttl-error` for one that has expired, or is valid for too long to be remembered
 */
export function judge(assertions: readonly Assertion[], circumstances: Circumstances): string[] {
  const { isSuccess, now } = circumstances;
  const [first] = assertions;
  return [
    ...(isSuccess ? [] : [failureReason]),
    ...reasonsAgainstRequest(circumstances),
    ...assertions.flatMap(({ issueInstant }) =>
      isPast(issueInstant, now) ? [] : ["IssueInstant: in the future"],
    ),
    ...assertions.flatMap((assertion) => reasonsAgainst(assertion, circumstances)),
    ...reasonsAgainstAge(assertions, circumstances),
    ...(assertions.every(({ nameId }) => isDeepStrictEqual(nameId, first?.nameId))
      ? []
      : ["Subject: the assertions are about different people"]),
  ];
}

function reasonsAgainstRequest({ request, provider, now }: Circumstances): string[] {
  if (request === undefined || request.expiresAt <= now)
    return ["InResponseTo: the request is unknown or has expired"];
  if (request.isAnswered) return ["InResponseTo: the request has been answered before"];
  const isForProvider = request.idpId === provider.id && request.issuer === provider.issuer;
  return isForProvider ? [] : ["InResponseTo: the request was for another identity provider"];
}

/** A page that needs a fresh login must not get an old one, whatever the provider makes of `ForceAuthn`. */
function reasonsAgainstAge(assertions: readonly Assertion[], { request }: Circumstances): string[] {
  const since = request?.authenticatedSince;
  if (since === undefined) return [];
  const isFresh = assertions.some(({ authentications }) =>
    authentications.some(({ instant }) => instant + toleranceMilliseconds >= since),
  );
  return isFresh ? [] : ["AuthnInstant: before the request, which wanted a fresh login"];
}

function reasonsAgainst(assertion: Assertion, circumstances: Circumstances): string[] {
  const { entityId, maxLifetimeSeconds, now } = circumstances;
  checkEnd(endOf(assertion), { maxLifetimeSeconds, now });
  const { audiences, authentications, confirmations, notBefore } = assertion;
  return [
    ...(notBefore === undefined || isPast(notBefore, now) ? [] : ["NotBefore: in the future"]),
    ...(audiences.length > 0 ? [] : ["AudienceRestriction: there is none"]),
    ...(audiences.every((audience) => audience.includes(entityId))
      ? []
      : ["Audience: for another service provider"]),
    ...(confirmations.length > 0 ? [] : ["SubjectConfirmation: there is none"]),
    ...confirmations.flatMap((confirmation) => reasonsAgainstConfirmation(confirmation, { entityId, now })),
    ...authentications.flatMap(({ instant, sessionNotOnOrAfter }) => [
      ...(isPast(instant, now) ? [] : ["AuthnInstant: in the future"]),
      ...(isOver(sessionNotOnOrAfter, now) ? ["SessionNotOnOrAfter: in the past"] : []),
    ]),
  ];
}

/** The service remembers assertions until they expire, so they must expire soon. @throws ApiError `ttl-error` */
function checkEnd(
  end: number,
  { maxLifetimeSeconds, now }: Pick<Circumstances, "maxLifetimeSeconds" | "now">,
): void {
  if (isOver(end, now)) throw new ApiError("ttl-error", { cause: "it has expired" });
  if (!isPast(end, now + maxLifetimeSeconds * 1000))
    throw new ApiError("ttl-error", { cause: "it is valid for too long" });
}

const reasonsAgainstConfirmation = (
  { inResponseTo, recipient, notBefore, notOnOrAfter }: Confirmation,
  { entityId, now }: Pick<Circumstances, "entityId" | "now">,
): string[] => [
  ...(inResponseTo === undefined ? ["InResponseTo: a confirmation has none"] : []),
  ...(recipient === entityId ? [] : ["Recipient: another address"]),
  ...(notBefore === undefined || isPast(notBefore, now)
    ? []
    : ["NotBefore: the confirmation is in the future"]),
  ...(isOver(notOnOrAfter, now) ? ["NotOnOrAfter: the confirmation is in the past"] : []),
];

const isPast = (time: number, now: number) => time <= now + toleranceMilliseconds;
const isOver = (end: number | undefined, now: number) =>
  end !== undefined && end + toleranceMilliseconds <= now;

/** The label of a denial, in the title of the page; apps get it, too. */
export type DenialLabel =
  | "forbidden"
  | "bad-team"
  | "bad-upstream"
  | "bad-username"
  // Spelled as clients know it.
  | "cannont-provision-on-replaced-idp"
  | (string & {});

/** The response is genuine, but does not let anybody in. */
export class LoginDeniedError extends Error {
  override readonly name = "LoginDeniedError";
  readonly label: DenialLabel;
  readonly reasons: readonly string[];

  constructor(label: DenialLabel, reasons: readonly string[], options?: ErrorOptions) {
    super(reasons.join("; "), options);
    this.label = label;
    this.reasons = reasons;
  }
}
