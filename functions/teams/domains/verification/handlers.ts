import { randomUUID } from "node:crypto";
import type * as z from "zod";
import { toSeconds } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { networkBucket } from "#shared/platform/rate-limit/network.ts";
import { isSameSecret } from "#shared/platform/secrets/is-same-secret.ts";
import { hashDomainToken, newDomainToken } from "#shared/teams/registered-domains/challenge-store.ts";
import type {
  DomainRedirect,
  DomainRegistration,
} from "#shared/teams/registered-domains/domain-registration.ts";
import { verificationSettings } from "#shared/teams/registered-domains/verification-enabled.ts";
import { changeRegistration } from "../change-registration.ts";
import type { Deps } from "../deps.ts";
import { checkDomainAdmin, readCandidate } from "../domain-admin.ts";
import { toTeamInvite } from "../registration-view.ts";
import { checkNotLocked, chooseBackend as choose } from "../transitions.ts";
import { chooseTeamRules } from "./choose-team-rules.ts";
import type * as schemas from "./routes.ts";
import type { routes } from "./routes.ts";
import { verifyChallenge } from "./verify-challenge.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "domain-verification-challenge": async ({ params, sourceIp }) => {
      const { challengeId, token, dnsVerificationToken } = await createChallenge(
        deps,
        params.domain,
        sourceIp,
      );
      return { body: { id: challengeId, token, dns_verification_token: dnsVerificationToken } };
    },

    "verify-challenge": async ({ params, body, sourceIp }) => {
      const command = { ...params, token: body.challenge_token };
      return { body: { domain_ownership_token: await verifyChallenge(deps, command, sourceIp) } };
    },

    "verify-challenge-team": async ({ actor, params, body, sourceIp }) => {
      const command = { ...params, token: body.challenge_token, userId: actor.userId };
      return { body: { domain_ownership_token: await verifyChallenge(deps, command, sourceIp) } };
    },

    "domain-verification-authorize-team": async ({ actor, params: { domain }, body }) => {
      await authorizeTeam(deps, { userId: actor.userId, domain, token: body.domain_ownership_token });
      return {};
    },

    "update-domain-redirect": async ({ params: { domain }, bearer = "", body }) => {
      await chooseBackend(deps, { domain, token: bearer, redirect: toOwnersRedirect(body) });
      return {};
    },

    "update-team-invite": async ({ actor, params: { domain }, body }) => {
      const { domain_redirect: kind, sso } = body;
      const redirect =
        sso === undefined ? kind && { kind } : { kind: "sso" as const, identityProviderId: sso };
      await chooseTeamRules(deps, {
        userId: actor.userId,
        domain,
        teamInvite: toTeamInvite(body),
        redirect,
      });
      return {};
    },
  };
}

function toOwnersRedirect({
  domain_redirect: choice,
  backend_url: configUrl = "",
  backend,
}: z.output<typeof schemas.backendChoice>): DomainRedirect {
  if (choice === "no-registration") return { kind: choice };
  if (choice === "remove") return { kind: "pre-authorized" };
  return backend === undefined
    ? { kind: choice, configUrl }
    : { kind: choice, configUrl: backend.config_url, webappUrl: backend.webapp_url };
}

/**
 * Give a domain to the acting user's team, taking it from any other team.
 *
 * @throws ApiError `operation-forbidden-for-domain-registration-state`, `domain-registration-update-payment-required`,
 *   `domain-registration-update-auth-failure`
 * @see operation `domain-verification-authorize-team`
 */
function authorizeTeam(
  deps: Deps,
  { userId, domain, token }: { userId: string; domain: string; token: string },
): Promise<void> {
  const { domains, teams } = deps;
  return changeRegistration(deps, "authorize-team", domain, async () => {
    const [before, candidate] = await Promise.all([domains.get(domain), readCandidate(deps, userId)]);
    const member = checkDomainAdmin(candidate);
    const owned = checkOwnership(before, token);
    checkNotLocked(owned);
    return {
      before,
      after: { ...owned, authorizedTeam: member.teamId },
      // The deletion of a team removes its domains, so none may be added meanwhile.
      writes: [teams.requirePresent(member.teamId), teams.requirePermissions(member)],
    };
  });
}

/**
 * Let the owner of a domain send its people to another backend, or let nobody register.
 *
 * @throws ApiError `domain-registration-update-auth-failure`, `operation-forbidden-for-domain-registration-state`
 * @see operation `update-domain-redirect`
 */
function chooseBackend(
  deps: Deps,
  { domain, token, redirect }: { domain: string; token: string; redirect: DomainRedirect },
): Promise<void> {
  return changeRegistration(deps, "backend", domain, async () => {
    const before = checkOwnership(await deps.domains.get(domain), token);
    return { before, after: choose(before, redirect) };
  });
}

/** A challenge as only its creator sees it. */
interface NewChallenge {
  readonly challengeId: string;
  readonly token: string;
  readonly dnsVerificationToken: string;
}

/**
 * Create a challenge for a domain. Open to strangers, so limited per network. Challenges do not affect each other.
 *
 * @throws ApiError `operation-forbidden-for-domain-registration-state`, `too-many-requests`
 * @see operation `domain-verification-challenge`
 */
async function createChallenge(
  { challenges, clock, domains, rateLimiter, settings }: Deps,
  domain: string,
  sourceIp: string,
): Promise<NewChallenge> {
  const { challengeLifetimeSecs, rateLimitPerIp } = verificationSettings(settings);
  const [registration] = await Promise.all([
    domains.get(domain),
    rateLimiter.take(networkBucket("domain-challenges", sourceIp), rateLimitPerIp),
  ]);
  checkNotLocked(registration);
  const challengeId = randomUUID();
  const [token, dnsVerificationToken] = [newDomainToken(), newDomainToken()];
  await challenges.create({
    challengeId,
    domain,
    tokenHash: hashDomainToken(token),
    dnsVerificationToken,
    expiresAt: toSeconds(clock()) + challengeLifetimeSecs,
  });
  return { challengeId, token, dnsVerificationToken };
}

/**
 * Check the token that proves ownership of a domain.
 * @throws ApiError `domain-registration-update-auth-failure`
 */
function checkOwnership(registration: DomainRegistration | undefined, token: string): DomainRegistration {
  const hash = registration?.ownershipTokenHash;
  if (registration === undefined || hash === undefined || !isSameSecret(hashDomainToken(token), hash))
    throw new ApiError("domain-registration-update-auth-failure");
  return registration;
}
