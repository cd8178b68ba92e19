import { confirmPassword } from "#shared/accounts/credentials/reauthenticate.ts";
import { checkSecondFactor } from "#shared/accounts/second-factor/second-factor.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import { orderTeamJob } from "#shared/teams/team-job.ts";
import type { Deps } from "../deps.ts";
import { readAsMember, resumeDeletion } from "./get-team.ts";

/**
 * Mark a team for deletion, which the worker `team-jobs` carries out. From then on nobody can join it. Repeating this
 * meanwhile needs neither rights nor password, because it has no effect.
 *
 * @throws ApiError `no-team`, `not-a-team-member`, `operation-denied`, `access-denied` with a wrong password,
 *   `code-authentication-required`, `code-authentication-failed`, `suspended`, `login-budget-exhausted`,
 *   `too-many-requests`; the order of the checks is part of the interface
 * @see operation `delete-team`
 */
export async function deleteTeam(
  deps: Deps,
  { userId }: Actor,
  { teamId, password, secondFactor }: { teamId: string; password?: string; secondFactor?: string },
): Promise<void> {
  const { clock, outbox, teams } = deps;
  const membership = { teamId, userId };
  let isProven = false;
  await change(deps, async () => {
    const { team, member } = await readAsMember(deps, membership);
    if (team === undefined || team.status === "deleted") throw new ApiError("no-team");
    if (team.status === "pending_delete") {
      await resumeDeletion(deps, team);
      return undefined;
    }
    const deleter = checkMember(member, { permission: "DeleteTeam" });
    if (!isProven) await proveIdentity(deps, userId, { password, secondFactor });
    isProven = true;
    return {
      writes: [teams.orderDeletion(team, clock(), { deletedBy: userId }), teams.requirePermissions(deleter)],
      messages: [orderTeamJob(outbox, { job: "delete", teamId })],
    };
  });
}

async function proveIdentity(
  deps: Deps,
  userId: string,
  { password, secondFactor }: { password: string | undefined; secondFactor: string | undefined },
): Promise<void> {
  const account = await deps.accounts.get(userId);
  if (account === undefined) throw new ApiError("access-denied");
  await confirmPassword(deps.passwordChecks, account, password);
  await checkSecondFactor(deps, account, { action: "delete_team", candidate: secondFactor });
}
