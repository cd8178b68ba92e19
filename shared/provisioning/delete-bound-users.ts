import type { AccountStore } from "#shared/accounts/account-store.ts";
import { type DeletionDeps, deleteAccount } from "#shared/accounts/delete-account.ts";
import { chunksOfStream } from "#shared/platform/chunks.ts";
import { Failures } from "#shared/platform/failures.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { TimeLimit } from "#shared/platform/messaging/time-limit.ts";
import type { ProvisioningDeps } from "#shared/provisioning/provisioning-deps.ts";
import { LastOwnerError } from "#shared/teams/team-errors.ts";

type Deps = DeletionDeps & Pick<ProvisioningDeps, "log" | "provisioning">;

/** Accounts deleted concurrently. */
const concurrency = 16;

/** Users of a team who log in through identity providers with an issuer. */
export async function* boundUsers(
  accounts: AccountStore,
  { teamId, issuer }: { teamId: string; issuer: string },
): AsyncGenerator<string> {
  for await (const { userId } of accounts.claimsByIssuer(teamId, issuer)) yield userId;
}

/**
 * Delete the users of the issuers that are marked for it in a team, then remove the marks. The last owner of the team
 * stays. A user who cannot be deleted does not delay the others. May be repeated, and continues where the previous
 * run stopped.
 *
 * @param issuers skips those without a mark: another run has finished them, and they may be in use again
 * @returns false when time ran out
 */
export async function deleteBoundUsers(
  deps: Deps,
  { teamId, issuers }: { teamId: string; issuers: readonly string[] },
  isTimeUp: TimeLimit,
): Promise<boolean> {
  const { purgedIssuers = [] } = await deps.provisioning.get(teamId);
  const failures = new Failures("users");
  for (const issuer of issuers.filter((marked) => purgedIssuers.includes(marked))) {
    for await (const userIds of chunksOfStream(boundUsers(deps.accounts, { teamId, issuer }), concurrency)) {
      if (isTimeUp()) return failures.throwIfStuckOr(false);
      await failures.collectAll(userIds.map((userId) => deleteUser(deps, userId, issuer)));
    }
  }
  failures.throwOr(undefined);
  await unmark(deps, teamId, issuers);
  return true;
}

/** Users who have just moved to another provider of the team stay. */
async function deleteUser(deps: Deps, userId: string, issuer: string): Promise<void> {
  try {
    await deleteAccount(deps, userId, {
      isStillWanted: ({ samlIdentity }) => samlIdentity?.issuer === issuer,
    });
  } catch (error) {
    if (!(error instanceof LastOwnerError)) throw error;
    deps.log.warn("last-owner-not-purged", { userId });
  }
}

const unmark = (deps: Deps, teamId: string, issuers: readonly string[]): Promise<void> =>
  change(deps, async () => {
    const team = await deps.provisioning.get(teamId);
    const { purgedIssuers = [] } = team;
    const remaining = purgedIssuers.filter((issuer) => !issuers.includes(issuer));
    if (remaining.length === purgedIssuers.length) return undefined;
    return { writes: deps.provisioning.save(team, { ...team, purgedIssuers: remaining }) };
  });
