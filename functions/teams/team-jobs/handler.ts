import { followTeamStatus } from "#shared/accounts/status-change.ts";
import { endTeamLegalHold } from "#shared/conversations/legal-hold/end-team-legal-hold.ts";
import { settleConnections, settleLegalHold } from "#shared/conversations/legal-hold/settle.ts";
import { Failures } from "#shared/platform/failures.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import type { OutboxItem } from "#shared/platform/messaging/outbox-item.ts";
import { startTimeLimit, type TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import { orderTeamJob, type TeamJob, teamJob } from "#shared/teams/team-job.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import { deleteTeam } from "./deletion/delete-team.ts";
import type { Deps } from "./deps.ts";

export { createDeps } from "./deps.ts";

/** Handle messages from the queue `team-jobs`. A job that runs out of time enqueues a message to continue. */
export function createHandler(deps: Deps) {
  const { clock, outboxWorker } = deps;

  const handle = ({ payload }: OutboxItem) => run(deps, teamJob.parse(payload), startTimeLimit(clock));

  return createLeasedWorker(outboxWorker, handle, { ...deps, queue: "team-jobs" });
}

function run(deps: Deps, job: TeamJob, isTimeUp: TimeLimit): Promise<void> {
  switch (job.job) {
    case "delete":
      return deleteTeam(deps, job.teamId, isTimeUp);
    case "align-members":
      return alignMembers(deps, job, isTimeUp);
    case "end-legal-hold":
      return endLegalHold(deps, job.teamId, isTimeUp);
    case "settle-legal-hold":
      return settleMember(deps, job, isTimeUp);
    case "settle-legal-hold-of-all":
      return settleAllMembers(deps, job, isTimeUp);
  }
}

/** End legal hold for all members of a team whose service is removed, or whose feature is switched off. */
async function endLegalHold(deps: Deps, teamId: string, isTimeUp: TimeLimit): Promise<void> {
  if (await endTeamLegalHold(deps, teamId, isTimeUp)) return;
  await change(deps, async () => ({
    messages: [orderTeamJob(deps.outbox, { job: "end-legal-hold", teamId })],
  }));
}

type Order = OrderOf<"align-members">;

/**
 * Suspend the members of a suspended team, or resume those of a team that no longer is. Starts again when the status
 * changes meanwhile, so that the last of several jobs leaves the members as the team is. A member that cannot be changed
 * does not delay the others.
 */
async function alignMembers(deps: Deps, order: Order, isTimeUp: TimeLimit): Promise<void> {
  const { invitations, outbox, teams } = deps;
  const { teamId } = order;
  const failures = new Failures("members");
  let { progress } = order;
  for (;;) {
    const team = await teams.get(teamId);
    if (team?.status !== "suspended" && team?.status !== "active") return;
    const { statusChangedAt } = team;
    const isBegun = progress?.statusChangedAt === statusChangedAt;
    if (!isBegun && team.status === "suspended") await invitations.removeAll(teamId);
    const after = await followTeamStatus(deps, team, isBegun ? progress?.after : undefined, failures);
    if (after === undefined) {
      const current = await teams.get(teamId);
      if (current?.statusChangedAt === statusChangedAt) return failures.throwOr(undefined);
      progress = undefined;
      continue;
    }
    progress = { statusChangedAt, after };
    if (!isTimeUp()) continue;
    // The remaining members are found by starting again.
    const rest: Order = failures.isEmpty
      ? { ...order, progress }
      : failures.throwIfStuckOr({ job: order.job, teamId });
    await change(deps, async () => ({ messages: [orderTeamJob(outbox, rest)] }));
    return;
  }
}

type OrderOf<Job extends TeamJob["job"]> = Extract<TeamJob, { job: Job }>;

/** Bring connections and groups in line with the legal hold status of one member. */
async function settleMember(
  deps: Deps,
  order: OrderOf<"settle-legal-hold">,
  isTimeUp: TimeLimit,
): Promise<void> {
  const rest = await settleLegalHold(deps, order, isTimeUp);
  if (rest !== undefined) await goOn(deps, { ...order, ...rest });
}

/** Members read together. */
const pageSize = 100;

/**
 * Bring connections in line with the consent of all members of a team, one by one. Consent makes nobody leave a group. A
 * member for whom this fails gets a job of their own and does not delay the others.
 */
async function settleAllMembers(
  deps: Deps,
  order: OrderOf<"settle-legal-hold-of-all">,
  isTimeUp: TimeLimit,
): Promise<void> {
  const { teamId } = order;
  let { after } = order;
  for (;;) {
    const members = await deps.teams.pageOfMembers(teamId, { after, limit: pageSize });
    for (const member of members) {
      if (isTimeUp() || !(await settleOneOfAll(deps, member, isTimeUp))) {
        await goOn(deps, { ...order, after });
        return;
      }
      after = member.userId;
    }
    if (members.length < pageSize) return;
  }
}

/** @returns false when the time is up */
async function settleOneOfAll(
  deps: Deps,
  { teamId, userId }: Membership,
  isTimeUp: TimeLimit,
): Promise<boolean> {
  try {
    return await settleConnections(deps, userId, isTimeUp);
  } catch (error) {
    deps.log.warn("legal-hold-not-settled", { teamId, userId, error: error as Error });
    await goOn(deps, { job: "settle-legal-hold", teamId, userId });
    return true;
  }
}

const goOn = (deps: Deps, order: TeamJob): Promise<void> =>
  change(deps, async () => ({ messages: [orderTeamJob(deps.outbox, order)] }));
