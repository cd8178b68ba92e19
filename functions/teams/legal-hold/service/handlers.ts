import { confirmPassword } from "#shared/accounts/credentials/reauthenticate.ts";
import { isImplicit } from "#shared/accounts/legal-hold-status.ts";
import { endTeamLegalHold } from "#shared/conversations/legal-hold/end-team-legal-hold.ts";
import type { LegalHoldService } from "#shared/conversations/legal-hold/legal-hold-service.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { parseRsaKey, rsaFingerprint } from "#shared/platform/outbound/rsa-key.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import { hasFeature } from "#shared/teams/features/effective-feature.ts";
import type { TeamFeatures } from "#shared/teams/features/feature.ts";
import type { Member } from "#shared/teams/member.ts";
import { isAtLeast } from "#shared/teams/permissions.ts";
import { TeamNotFoundError } from "#shared/teams/team-errors.ts";
import { orderTeamJob } from "#shared/teams/team-job.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "create-legal-hold-settings": async ({ actor, params, body }) => {
      const service = await registerService(deps, actor, {
        teamId: params.tid,
        baseUrl: body.base_url,
        publicKey: body.public_key,
        authToken: body.auth_token,
      });
      return { body: toView(service) };
    },

    "get-legal-hold-settings": async ({ actor: { userId }, params }) => {
      const { hasLegalHold, service } = await getService(deps, { teamId: params.tid, userId });
      return { body: hasLegalHold ? toView(service) : { status: "disabled" } };
    },

    "delete-legal-hold-settings": async ({ actor: { userId }, params, body }) => {
      await removeService(deps, { teamId: params.tid, userId }, body.password);
      return {};
    },
  };
}

const toView = (service: LegalHoldService | undefined) =>
  service === undefined
    ? ({ status: "not_configured" } as const)
    : ({
        status: "configured",
        settings: {
          team_id: service.teamId,
          base_url: service.baseUrl,
          fingerprint: service.fingerprint,
          auth_token: service.authToken,
          public_key: service.publicKey,
        },
      } as const);

/**
 * Get the legal hold service of a team; also says whether the team has legal hold at all. The token, which clients
 * expect, is empty for those who could not have registered it.
 *
 * @throws ApiError `not-a-team-member`
 * @see operation `get-legal-hold-settings`
 */
async function getService(
  deps: Deps,
  membership: Membership,
): Promise<{ hasLegalHold: boolean; service: LegalHoldService | undefined }> {
  const { hasLegalHold, member, service } = await readSettings(deps, membership);
  const { permissions } = checkMember(member);
  const isForAdmin = isAtLeast(permissions, "admin");
  return { hasLegalHold, service: service && { ...service, authToken: isForAdmin ? service.authToken : "" } };
}

/**
 * Register the legal hold service of a team, replacing the previous one. Refused while legal hold is being ended for
 * the members of the team.
 *
 * @throws ApiError `legalhold-not-enabled`, `not-a-team-member`, `operation-denied`, `legalhold-invalid-key`,
 *   `legalhold-unavailable`, `concurrent-change`; the order of the checks is part of the interface
 * @throws RateLimitedError
 * @see operation `create-legal-hold-settings`
 */
async function registerService(
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

/** How long a request keeps starting on further members; leaves enough of the function's time to finish a few of them. */
const requestMilliseconds = 3000;
/** When the job enqueued with the change takes over; the request has ended by then. */
const jobDelaySeconds = 20;

/**
 * Remove the legal hold service of a team and end legal hold for all members: here as far as time allows, the rest in a
 * job. Nobody can be put under legal hold meanwhile.
 *
 * @throws ApiError `legalhold-disable-unimplemented`, `legalhold-not-enabled`, `not-a-team-member`, `operation-denied`,
 *   `access-denied`, `login-budget-exhausted`, `too-many-requests`; the order of the checks is part of the interface
 * @see operation `delete-legal-hold-settings`
 */
async function removeService(deps: Deps, membership: Membership, password?: string): Promise<void> {
  const { clock, legalHoldServices, log, outbox, settings, teams } = deps;
  const { teamId, userId } = membership;
  const stopAt = clock() + requestMilliseconds;
  if (isImplicit(settings)) throw new ApiError("legalhold-disable-unimplemented");
  let isProven = false;
  await change(deps, async () => {
    const { hasLegalHold, member, service } = await readSettings(deps, membership);
    if (!hasLegalHold) throw new ApiError("legalhold-not-enabled");
    const admin = checkMember(member, { role: "admin" });
    if (!isProven) await proveIdentity(deps, userId, password);
    isProven = true;
    if (service === undefined) return undefined;
    return {
      writes: [legalHoldServices.beginEnd(teamId), teams.requirePermissions(admin)],
      messages: [orderTeamJob(outbox, { job: "end-legal-hold", teamId }, { delaySeconds: jobDelaySeconds })],
      afterCommit: async () => log.info("legal-hold-service-removed", { teamId, userId }),
    };
  });
  await endTeamLegalHold(deps, teamId, () => clock() >= stopAt);
}

async function proveIdentity({ accounts, passwordChecks }: Deps, userId: string, password?: string) {
  const account = await accounts.get(userId);
  if (account === undefined) throw new ApiError("access-denied");
  await confirmPassword(passwordChecks, account, password);
}

/** The legal hold settings of a team, with one of its members. */
interface Settings {
  /** Undefined for a user outside the team. */
  readonly member: Member | undefined;
  readonly features: TeamFeatures;
  readonly hasLegalHold: boolean;
  readonly service: LegalHoldService | undefined;
  /** Whether legal hold is being ended for the members of the team. */
  readonly isEnding: boolean;
}

/** Read the legal hold settings of a team, for one of its members, in one round trip. */
async function readSettings(
  { features, legalHoldServices, settings, teams }: Deps,
  membership: Membership,
): Promise<Settings> {
  const { teamId } = membership;
  const [member, teamFeatures, service, isEnding] = await Promise.all([
    teams.getMember(membership),
    features.get(teamId),
    legalHoldServices.get(teamId),
    legalHoldServices.isEnding(teamId),
  ]);
  const hasLegalHold = hasFeature("legalhold", teamFeatures, settings);
  return { member, features: teamFeatures, hasLegalHold, service, isEnding };
}
