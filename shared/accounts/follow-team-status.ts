import { chunks } from "#shared/platform/chunks.ts";
import type { Failures } from "#shared/platform/failures.ts";
import { type Change, change } from "#shared/platform/messaging/change.ts";
import type { Team } from "#shared/teams/team.ts";
import type { Account } from "./account.ts";
import type { AccountDeps } from "./account-deps.ts";
import { statusChange } from "./status-change.ts";

type Deps = Pick<AccountDeps, "accounts" | "dynamo" | "outbox" | "sessions" | "teams">;

/** Members whose accounts are read together. */
const pageSize = 100;
/** Accounts changed concurrently. */
const concurrency = 16;

/**
 * Suspend or resume the accounts of one page of members, following the status of the team. Accounts that were suspended
 * individually stay suspended, and others that are not active stay as they are.
 *
 * @param after the member after whom to start; undefined: start with the first
 * @param failures receives the members who cannot be changed; they do not stop the others
 * @returns the last member of the page; undefined when it was the last page
 */
export async function followTeamStatus(
  deps: Deps,
  team: Pick<Team, "teamId" | "status">,
  after: string | undefined,
  failures: Failures,
): Promise<string | undefined> {
  const { accounts, teams } = deps;
  const members = await teams.pageOfMembers(team.teamId, { after, limit: pageSize });
  const found = await accounts.getMany(members.map(({ userId }) => userId));
  const differing = found.filter((account) => differs(account, team));
  for (const group of chunks(differing, concurrency)) {
    await failures.collectAll(group.map((account) => adjust(deps, account, team)));
  }
  return members.length < pageSize ? undefined : members.at(-1)?.userId;
}

const differs = ({ status, teamId, isSuspendedWithTeam }: Account, team: Pick<Team, "teamId" | "status">) =>
  teamId === team.teamId &&
  (team.status === "suspended" ? status === "active" : isSuspendedWithTeam === true);

async function adjust(deps: Deps, account: Account, team: Pick<Team, "teamId" | "status">): Promise<void> {
  await change(deps, async (attempt): Promise<Change | undefined> => {
    const current = attempt === 1 ? account : await deps.accounts.get(account.userId);
    if (current === undefined || !differs(current, team)) return undefined;
    return team.status === "suspended"
      ? statusChange(deps, current, "suspended", { isWithTeam: true })
      : statusChange(deps, current, "active");
  });
}
