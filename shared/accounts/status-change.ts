import type { AccountDeps } from "#shared/accounts/account-deps.ts";
import { closeSockets } from "#shared/events/sockets/socket-closure.ts";
import { chunks } from "#shared/platform/chunks.ts";
import type { Failures } from "#shared/platform/failures.ts";
import { type Change, change, combine } from "#shared/platform/messaging/change.ts";
import type { Team } from "#shared/teams/team.ts";
import type { Account } from "./account.ts";
import { indexUpdateMessages } from "./index-update.ts";

type Deps = Pick<AccountDeps, "accounts" | "outbox" | "sessions">;

/**
 * Decides how to suspend or resume an account. Suspending revokes all cookies, closes all sockets and hides the user from
 * search; access tokens that were already issued simply expire.
 *
 * @param options.isWithTeam whether the suspension ends with that of the account's team
 */
export function statusChange(
  deps: Deps,
  account: Account,
  status: "active" | "suspended",
  options: { isWithTeam?: boolean } = {},
): Change {
  const changed = withStatus(account, status, options);
  const saved = {
    writes: deps.accounts.save(account, changed),
    messages: indexUpdateMessages(deps.outbox, account, changed),
  };
  return combine(saved, effectsOf(deps, changed));
}

/** The account with another status, for use cases that also change other fields. They need `effectsOf`, too. */
export function withStatus(
  account: Account,
  status: "active" | "suspended",
  { isWithTeam = false }: { isWithTeam?: boolean } = {},
): Account {
  const isSuspended = status === "suspended";
  return {
    ...account,
    status,
    isSuspendedWithTeam: isSuspended && isWithTeam ? true : undefined,
    sessionEpoch: account.sessionEpoch + Number(isSuspended),
  };
}

/** Decides the effects of a new status on the sessions of an account. */
export function effectsOf(
  { outbox, sessions }: Pick<Deps, "outbox" | "sessions">,
  { userId, status, sessionEpoch }: Account,
): Change {
  return status === "suspended"
    ? {
        writes: [sessions.revokeAll(userId, sessionEpoch), sessions.removeLegalHold(userId)],
        messages: [closeSockets(outbox, { userId })],
      }
    : { writes: [], messages: [] };
}

type FollowingDeps = Pick<AccountDeps, "accounts" | "dynamo" | "outbox" | "sessions" | "teams">;

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
  deps: FollowingDeps,
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

async function adjust(
  deps: FollowingDeps,
  account: Account,
  team: Pick<Team, "teamId" | "status">,
): Promise<void> {
  await change(deps, async (attempt): Promise<Change | undefined> => {
    const current = attempt === 1 ? account : await deps.accounts.get(account.userId);
    if (current === undefined || !differs(current, team)) return undefined;
    return team.status === "suspended"
      ? statusChange(deps, current, "suspended", { isWithTeam: true })
      : statusChange(deps, current, "active");
  });
}
