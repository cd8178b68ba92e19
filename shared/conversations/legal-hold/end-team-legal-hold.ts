import { isOngoing } from "#shared/accounts/legal-hold-status.ts";
import type { ConversationDeps } from "#shared/conversations/conversation-deps.ts";
import { chunksOfStream } from "#shared/platform/chunks.ts";
import { Failures } from "#shared/platform/failures.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import type { Member } from "#shared/teams/member.ts";
import { type EndDeps, endMemberLegalHold } from "./end-member-legal-hold.ts";
import type { LegalHoldService } from "./legal-hold-service.ts";
import { EndAlreadyFinishedError, type Ending } from "./legal-hold-service-store.ts";

type Deps = EndDeps & Pick<ConversationDeps, "legalHoldClient" | "legalHoldServices">;

/** Members for whom legal hold is ended concurrently. */
const concurrency = 8;

/**
 * End legal hold for all members of a team that is marked for it, then remove the service and the mark. May be
 * repeated, and continues where the previous run stopped. Nobody stays under legal hold because the service does not
 * answer, or because this fails for another member.
 *
 * @returns false when time ran out
 */
export async function endTeamLegalHold(deps: Deps, teamId: string, isTimeUp: TimeLimit): Promise<boolean> {
  const ending = await deps.legalHoldServices.getEnding(teamId);
  if (ending === undefined) return true;
  try {
    return await carryOut(deps, ending, isTimeUp);
  } catch (error) {
    // Any later legal hold is through another service.
    if (error instanceof EndAlreadyFinishedError) return true;
    throw error;
  }
}

async function carryOut(deps: Deps, ending: Ending, isTimeUp: TimeLimit): Promise<boolean> {
  const { legalHoldServices, teams } = deps;
  const tell = notifyUntilFailure(deps, ending.service);
  const conditions = [legalHoldServices.requireEnding(ending)];
  const failures = new Failures("members");
  for await (const members of chunksOfStream(concerned(teams.members(ending.teamId)), concurrency)) {
    if (isTimeUp()) return failures.throwIfStuckOr(false);
    await failures.collectAll(
      members.map((member) => {
        const notifyService = () => (member.legalHoldStatus === "enabled" ? tell(member) : Promise.resolve());
        return endMemberLegalHold(deps, member, { notifyService, conditions });
      }),
    );
    const over = failures.find(EndAlreadyFinishedError);
    if (over !== undefined) throw over;
  }
  failures.throwOr(undefined);
  await change(deps, async () => ({ writes: legalHoldServices.finishEnd(ending) }));
  return true;
}

async function* concerned(members: AsyncIterable<Member>): AsyncGenerator<Member> {
  for await (const member of members) {
    if (isOngoing(member.legalHoldStatus)) yield member;
  }
}

/** Tells a service of members that are no longer under legal hold, until it fails once. */
function notifyUntilFailure({ legalHoldClient, log }: Deps, service: LegalHoldService | undefined) {
  let isThere = service !== undefined;
  return async ({ teamId, userId }: Member): Promise<void> => {
    if (service === undefined || !isThere) return;
    try {
      await legalHoldClient.remove(service, { teamId, userId });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      isThere = false;
      log.warn("legal-hold-service-not-told", { teamId, userId });
    }
  };
}
