import { showTeamPage } from "#shared/accounts/team-pages/team-page.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { listOfTeam } from "../list-records.ts";
import { auditPage, type ListedRecord } from "./audit-page.ts";
import type { routes } from "./routes.ts";

const pageSize = 100;
const dayMilliseconds = 24 * 3_600_000;
const dayOf = (milliseconds: number) => new Date(milliseconds).toISOString().slice(0, 10);

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "get-team-audit-page": ({ query: { day = dayOf(deps.clock()), start }, ...request }) =>
      showTeamPage(deps, "audit", { ...request, query: {} }, async (frame, { teamId, userId }) => {
        const begin = Date.parse(day);
        const { records, damaged, next } = await listOfTeam(
          deps,
          { teamId, userId },
          {
            ...{ from: dayStart(begin), to: dayStart(begin + dayMilliseconds), size: pageSize },
            ...(start !== undefined && { start }),
          },
        );
        return auditPage(frame, {
          ...{ day, records, nameOf: await readNames(records, teamId) },
          isDamaged: damaged !== undefined,
          earlier: dayOf(begin - dayMilliseconds),
          later: begin + dayMilliseconds > deps.clock() ? undefined : dayOf(begin + dayMilliseconds),
          more: next,
        });
      }),
  };

  /** Names of those users in records who are in the team. */
  async function readNames(records: readonly ListedRecord[], teamId: string) {
    const ids = records.flatMap(({ actor, target }) => [actor.user, target.uid, target.user]);
    const { accounts } = await deps.accounts.getReadable(ids.filter((id) => id !== undefined));
    const names = new Map(
      accounts.filter((one) => one.teamId === teamId).map(({ userId, name }) => [userId, name]),
    );
    return (id: string) => names.get(id);
  }
}

const dayStart = (milliseconds: number) => new Date(milliseconds).toISOString();
