import { confirmPassword } from "#shared/accounts/credentials/confirm-password.ts";
import { isImplicit } from "#shared/accounts/legal-hold-status.ts";
import { endTeamLegalHold } from "#shared/conversations/legal-hold/end-team-legal-hold.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import { orderTeamJob } from "#shared/teams/team-job.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "../deps.ts";
import { readSettings } from "./read-settings.ts";

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
export async function removeService(deps: Deps, membership: Membership, password?: string): Promise<void> {
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
