import { settleConnections, settleLegalHold } from "#shared/conversations/legal-hold/settle.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import { orderTeamJob, type TeamJob } from "#shared/teams/team-job.ts";
import type { Membership } from "#shared/teams/team-store.ts";
import type { Deps } from "./deps.ts";

type Order<Job extends TeamJob["job"]> = Extract<TeamJob, { job: Job }>;

/** Bring connections and groups in line with the legal hold status of one member. */
export async function settleMember(
  deps: Deps,
  order: Order<"settle-legal-hold">,
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
export async function settleAllMembers(
  deps: Deps,
  order: Order<"settle-legal-hold-of-all">,
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
