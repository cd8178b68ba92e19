import { isImplicit } from "#shared/accounts/legal-hold-status.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { TeamNotFoundError } from "#shared/teams/team-errors.ts";
import { orderTeamJob } from "#shared/teams/team-job.ts";
import type { Deps } from "../deps.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "i-set-team-legalhold-whitelisted": async ({ params }) => {
      await changeWhitelist(deps, params.tid, true);
      return {};
    },

    "i-get-team-legalhold-whitelisted": async ({ params }) => {
      if (!(await isWhitelisted(deps, params.tid))) throw new ApiError("not-found");
      return {};
    },

    "i-delete-team-legalhold-whitelisted": async ({ params }) => {
      await changeWhitelist(deps, params.tid, false);
      return {};
    },

    "i-list-teams-legalhold-whitelisted": async ({ query }) => ({
      body: await listWhitelisted(deps, { limit: query.size, after: query.start }),
    }),
  };
}

/**
 * Put a team on the list of those that have legal hold, or take it off. Repeating it changes nothing. A job restores
 * what the lack of consent had blocked. After a removal, connections and groups that would now need consent stay in
 * place, but guarded, so that a mistake can be undone.
 *
 * @throws ApiError `no-team` when the team to be listed does not exist or is being deleted
 * @see operations `i-set-team-legalhold-whitelisted`, `i-delete-team-legalhold-whitelisted`
 */
async function changeWhitelist(deps: Deps, teamId: string, isListed: boolean): Promise<void> {
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

/**
 * Whether a team is on the list of those that have legal hold. No team is unless the setting `legalhold` uses the list.
 * @see operation `i-get-team-legalhold-whitelisted`
 */
async function isWhitelisted({ features, settings }: Deps, teamId: string): Promise<boolean> {
  return isImplicit(settings) && (await features.get(teamId)).isLegalHoldWhitelisted === true;
}

/** Read one page of the list. @see operation `i-list-teams-legalhold-whitelisted` */
async function listWhitelisted(
  { legalHoldWhitelist, settings }: Deps,
  page: { limit: number; after?: string },
): Promise<string[]> {
  return isImplicit(settings) ? legalHoldWhitelist.page(page) : [];
}
