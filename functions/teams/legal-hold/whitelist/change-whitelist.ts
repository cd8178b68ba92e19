import { isImplicit } from "#shared/accounts/legal-hold-status.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { TeamNotFoundError } from "#shared/teams/team-errors.ts";
import { orderTeamJob } from "#shared/teams/team-job.ts";
import type { Deps } from "../deps.ts";

/**
 * Put a team on the list of those that have legal hold, or take it from the list. Repeating it changes nothing. What the
 * lack of consent had blocked comes back, as a job. Whatever conflicts with legal hold without the consent of members stays
 * where it is, guarded, so that a slip can be undone.
 *
 * @throws ApiError `no-team` when there is none to be listed, or it is being deleted
 * @see operations `i-set-team-legalhold-whitelisted`, `i-delete-team-legalhold-whitelisted`
 */
export async function changeWhitelist(deps: Deps, teamId: string, isListed: boolean): Promise<void> {
  const { features, legalHoldWhitelist, log, outbox, settings, teams } = deps;
  await change(deps, async () => {
    const before = await features.get(teamId);
    if ((before.isLegalHoldWhitelisted ?? false) === isListed) return undefined;
    return {
      writes: [
        features.put(before, { ...before, isLegalHoldWhitelisted: isListed }),
        ...(isListed
          ? [legalHoldWhitelist.add(teamId), teams.requirePresent(teamId)]
          : [legalHoldWhitelist.remove(teamId)]),
      ],
      messages:
        isListed && isImplicit(settings)
          ? [orderTeamJob(outbox, { job: "settle-legal-hold-of-all", teamId })]
          : [],
      afterCommit: async () => log.info("legal-hold-whitelist-changed", { teamId, isListed }),
    };
  }).catch(answer(TeamNotFoundError, "no-team"));
}
