import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { refuseSecondFactor, refuseSecondFactorOf } from "#shared/services/second-factor-guard.ts";
import { type ServiceId, ServiceNotFoundError, TooManyServicesError } from "#shared/services/service.ts";
import { orderServiceJob } from "#shared/services/service-job.ts";
import { checkMember, insufficientPermissions } from "#shared/teams/check-member.ts";
import { effectiveFeature } from "#shared/teams/features/effective-feature.ts";
import type { Member } from "#shared/teams/member.ts";
import type { Permission } from "#shared/teams/permissions.ts";
import { TeamNotFoundError } from "#shared/teams/team-errors.ts";
import type { Deps } from "../deps.ts";

interface Command {
  readonly actor: Actor;
  readonly teamId: string;
  readonly service: ServiceId;
  readonly isAdmitted: boolean;
}

/** The caller needs all of these permissions. */
const neededPermissions: readonly Permission[] = [
  "AddTeamMember",
  "RemoveTeamMember",
  "AddRemoveConvMember",
  "SetTeamData",
];

/**
 * Let a team admit a service, or no longer admit it. A service that is no longer admitted gets no new bots in the
 * conversations of the team from then on; those that it has are removed by a job.
 *
 * @returns whether anything has changed
 * @throws ApiError `second-factor-required`, `mls-services-not-allowed`, `insufficient-permissions`, `service-not-found`,
 *   `too-many-services`; the order of the checks is part of the interface
 * @see operation `post-team-whitelist-by-team-id`
 */
export async function changeWhitelist(
  deps: Deps,
  { actor, teamId, service, isAdmitted }: Command,
): Promise<boolean> {
  const { accounts, features, log, outbox, services, settings, teams, whitelist } = deps;
  const { userId, connectionId } = actor;
  return change(deps, async () => {
    const [account, teamFeatures, member, found, wasAdmitted] = await Promise.all([
      accounts.get(userId),
      features.get(teamId),
      teams.getMember({ teamId, userId }),
      services.get(service.providerId, service.serviceId),
      whitelist.isAdmitted(teamId, service),
    ]);
    if (account?.teamId === teamId) refuseSecondFactor(teamFeatures, settings);
    else await refuseSecondFactorOf(deps, account);
    if (effectiveFeature("mls", teamFeatures, settings).config.defaultProtocol !== "proteus")
      throw new ApiError("mls-services-not-allowed");
    const admin = checkPermissions(member);
    if (found === undefined) throw new ApiError("service-not-found");
    if (wasAdmitted === isAdmitted) return { result: false };
    const shared = {
      result: true,
      afterCommit: async () =>
        log.info("service-whitelist-changed", { teamId, userId, ...service, isAdmitted }),
    };
    if (!isAdmitted) {
      const job = { job: "leave-team", teamId, ...service, actor: { userId, connectionId } } as const;
      return {
        ...shared,
        writes: [...whitelist.remove(teamId, service), teams.requirePermissions(admin)],
        messages: [orderServiceJob(outbox, job)],
      };
    }
    return {
      ...shared,
      writes: [
        ...whitelist.add(teamId, service),
        services.requirePresent(service),
        teams.requirePresent(teamId),
        teams.requirePermissions(admin),
        features.requireUnchanged(teamFeatures),
      ],
    };
  })
    .catch(answer(ServiceNotFoundError, "service-not-found"))
    .catch(answer(TooManyServicesError, "too-many-services"))
    .catch(answer(TeamNotFoundError, "insufficient-permissions"));
}

/** @throws ApiError `insufficient-permissions` */
function checkPermissions(member: Member | undefined): Member {
  return neededPermissions.reduce(
    (checked, permission) => checkMember(checked, { permission }, insufficientPermissions),
    checkMember(member, undefined, insufficientPermissions),
  );
}
