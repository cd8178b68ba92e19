import type { LegalHoldService } from "#shared/conversations/legal-hold/legal-hold-service.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { parseRsaKey, rsaFingerprint } from "#shared/platform/outbound/rsa-key.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import { TeamNotFoundError } from "#shared/teams/team-errors.ts";
import type { Deps } from "../deps.ts";
import { readSettings } from "./read-settings.ts";

/**
 * Register the legal hold service of a team, replacing the previous one. Refused while legal hold is being ended for
 * the members of the team.
 *
 * @throws ApiError `legalhold-not-enabled`, `not-a-team-member`, `operation-denied`, `legalhold-invalid-key`,
 *   `legalhold-unavailable`, `concurrent-change`; the order of the checks is part of the interface
 * @throws RateLimitedError
 * @see operation `create-legal-hold-settings`
 */
export async function registerService(
  deps: Deps,
  { userId }: Actor,
  registration: Omit<LegalHoldService, "fingerprint">,
): Promise<LegalHoldService> {
  const { features, legalHoldClient, legalHoldServices, log, rateLimiter, settings, teams } = deps;
  const { teamId } = registration;
  const readAsAdmin = async () => {
    const found = await readSettings(deps, { teamId, userId });
    if (!found.hasLegalHold) throw new ApiError("legalhold-not-enabled");
    const member = checkMember(found.member, { role: "admin" });
    if (found.isEnding) throw new ApiError("concurrent-change");
    return { ...found, member };
  };

  await readAsAdmin();
  const service = { ...registration, fingerprint: fingerprintOf(registration.publicKey) };
  await rateLimiter.take(`legal-hold-services#${teamId}`, settings.legalHoldService.registrationRateLimit);
  await legalHoldClient.checkStatus(service);
  await change(deps, async () => {
    const { member, features: read } = await readAsAdmin();
    return {
      writes: [
        legalHoldServices.put(service),
        legalHoldServices.requireInForce(teamId),
        teams.requirePresent(teamId),
        teams.requirePermissions(member),
        features.requireUnchanged(read),
      ],
      afterCommit: async () => log.info("legal-hold-service-registered", { teamId, userId }),
    };
  }).catch(answer(TeamNotFoundError, "not-a-team-member"));
  return service;
}

/** @throws ApiError `legalhold-invalid-key` */
function fingerprintOf(publicKey: string): string {
  const key = parseRsaKey(publicKey);
  const fingerprint = key && rsaFingerprint(key);
  if (fingerprint === undefined) throw new ApiError("legalhold-invalid-key");
  return fingerprint;
}
