import { chunksOfStream } from "#shared/platform/chunks.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Log } from "#shared/platform/log.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import type { Member } from "#shared/teams/member.ts";
import { type EndDeps, endMemberLegalHold } from "./end-member-legal-hold.ts";
import type { LegalHoldService } from "./legal-hold-service.ts";
import { EndingFinishedError, type LegalHoldServiceStore } from "./legal-hold-service-store.ts";
import type { LegalHoldClient } from "./service-client.ts";

interface Deps extends EndDeps {
  readonly legalHoldClient: LegalHoldClient;
  readonly legalHoldServices: LegalHoldServiceStore;
  readonly log: Log;
}

/** Members for whom legal hold is ended at the same time. */
const concurrency = 8;

/**
 * End legal hold for all members of a team for which that has been marked, and remove the service and the mark. It may be
 * repeated, also while another one runs, and goes on where the one before stopped. Nobody stays under legal hold because the service does
 * not answer, or because it fails with another member.
 *
 * @returns false when the time was up before it was done
 */
export async function endTeamLegalHold(deps: Deps, teamId: string, isTimeUp: TimeLimit): Promise<boolean> {
  const { legalHoldServices, teams } = deps;
  const ending = await legalHoldServices.getEnding(teamId);
  if (ending === undefined) return true;
  const tell = tellUntilFailure(deps, ending.service);
  const failures: unknown[] = [];
  for await (const members of chunksOfStream(concerned(teams.members(teamId)), concurrency)) {
    if (isTimeUp()) return false;
    const outcomes = await Promise.allSettled(
      members.map((member) =>
        endMemberLegalHold(deps, member, {
          notifyService: async () => {
            if (member.legalHoldStatus === "enabled") await tell(member);
          },
          condition: legalHoldServices.requireEnding(ending),
        }),
      ),
    );
    const reasons = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    if (reasons.some((reason) => reason instanceof EndingFinishedError)) return true;
    failures.push(...reasons);
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} members are left`);
  await change(deps, async () => ({ writes: legalHoldServices.finishEnd(ending) })).catch((error) => {
    if (!(error instanceof EndingFinishedError)) throw error;
  });
  return true;
}

async function* concerned(members: AsyncIterable<Member>): AsyncGenerator<Member> {
  for await (const member of members) {
    if (member.legalHoldStatus === "pending" || member.legalHoldStatus === "enabled") yield member;
  }
}

/** Tells a service of members that are no longer under legal hold, until it fails once. */
function tellUntilFailure({ legalHoldClient, log }: Deps, service: LegalHoldService | undefined) {
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
