import { Resolver } from "node:dns/promises";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Log } from "#shared/platform/log.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { networkBucket } from "#shared/platform/rate-limit/network.ts";
import { isSameSecret } from "#shared/platform/secrets/is-same-secret.ts";
import {
  type Challenge,
  hashDomainToken,
  newDomainToken,
} from "#shared/teams/registered-domains/challenge-store.ts";
import type { DomainRegistration } from "#shared/teams/registered-domains/domain-registration.ts";
import { verificationSettings } from "#shared/teams/registered-domains/verification-enabled.ts";
import type { Deps } from "../deps.ts";
import { type Candidate, checkDomainAdmin, readCandidate } from "../domain-admin.ts";
import { checkNotLocked, newRegistration } from "../transitions.ts";

export interface VerifyCommand {
  readonly domain: string;
  readonly challengeId: string;
  readonly token: string;
  /** The user who acts for a team; absent: a stranger, who can verify only domains that are already registered. */
  readonly userId?: string;
}

interface State {
  readonly registration: DomainRegistration | undefined;
  readonly challenge: Challenge | undefined;
  /** Present when a user acts for a team. */
  readonly candidate: Candidate | undefined;
}

/**
 * Look for the TXT record of a challenge; if it is there, consume the challenge and issue a token that proves ownership
 * of the domain. Any earlier token is invalidated.
 *
 * @throws ApiError `operation-forbidden-for-domain-registration-state`, `domain-registration-update-payment-required`,
 *   `challenge-not-found`, `domain-registration-update-auth-failure`, `domain-verification-failed`, `too-many-requests`
 * @see operations `verify-challenge`, `verify-challenge-team`
 */
export async function verifyChallenge(deps: Deps, command: VerifyCommand, sourceIp: string): Promise<string> {
  const { challenges, domains, log, rateLimiter, settings } = deps;
  const { rateLimitPerIp, ...dns } = verificationSettings(settings);
  const first = await read(deps, command);
  const { dnsVerificationToken } = check(first, command);
  await rateLimiter.take(networkBucket("domain-look-ups", sourceIp), rateLimitPerIp);
  const texts = await txtRecords(`${settings.vendor}-domain.${command.domain}`, { ...dns, log });
  if (!texts.includes(dnsVerificationToken)) throw new ApiError("domain-verification-failed");

  const ownershipToken = newDomainToken();
  return change(deps, async (attempt) => {
    const state = attempt === 1 ? first : await read(deps, command);
    const challenge = check(state, command);
    const verified = {
      ...(state.registration ?? newRegistration(command.domain)),
      dnsVerificationToken,
      ownershipTokenHash: hashDomainToken(ownershipToken),
    };
    return {
      writes: [challenges.consume(challenge), ...domains.save(state.registration, verified)],
      result: ownershipToken,
    };
  });
}

async function read(deps: Deps, { domain, challengeId, userId }: VerifyCommand): Promise<State> {
  const [registration, challenge, candidate] = await Promise.all([
    deps.domains.rulesOf(domain),
    deps.challenges.get(challengeId),
    userId === undefined ? undefined : readCandidate(deps, userId),
  ]);
  return { registration, challenge, candidate };
}

/** The order of these checks is part of the interface. */
function check({ registration, challenge, candidate }: State, { domain, token }: VerifyCommand): Challenge {
  checkNotLocked(registration);
  if (candidate !== undefined) checkDomainAdmin(candidate);
  else if (registration === undefined)
    throw new ApiError("operation-forbidden-for-domain-registration-state");
  if (challenge === undefined) throw new ApiError("challenge-not-found");
  const isRight = isSameSecret(hashDomainToken(token), challenge.tokenHash);
  if (!isRight || challenge.domain !== domain) throw new ApiError("domain-registration-update-auth-failure");
  return challenge;
}

/** Errors for a record that does not exist, as opposed to a failed look-up. */
const absences = new Set(["ENOTFOUND", "ENODATA", "EBADNAME"]);

/**
 * Look up the texts of the TXT records at a name, each joined from its parts. A look-up that fails or takes too long is
 * logged and returns none.
 *
 * @param dns.resolvers addresses of the only servers to ask
 */
export async function txtRecords(
  name: string,
  { resolvers, timeoutMilliseconds, log }: { resolvers: string[]; timeoutMilliseconds: number; log: Log },
): Promise<string[]> {
  // The second attempt may take twice as long as the first.
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMilliseconds / 3), tries: 2 });
  resolver.setServers(resolvers);
  const deadline = setTimeout(() => resolver.cancel(), timeoutMilliseconds);
  try {
    const records = await resolver.resolveTxt(name);
    return records.map((parts) => parts.join(""));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!absences.has(code ?? "")) log.warn("dns-lookup-failed", { name, code });
    return [];
  } finally {
    clearTimeout(deadline);
  }
}
