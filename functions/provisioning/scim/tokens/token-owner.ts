import type { Account } from "#shared/accounts/account.ts";
import { batchRead } from "#shared/platform/data/batch-read.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { TeamProvisioning } from "#shared/provisioning/team-provisioning.ts";
import { checkMember } from "#shared/teams/check-member.ts";
import type { Member } from "#shared/teams/member.ts";
import type { Deps } from "../deps.ts";

/** An owner, who may manage the tokens of the team, and the team's tokens. */
interface TokenOwner {
  readonly account: Account;
  readonly member: Member;
  readonly provisioning: TeamProvisioning;
}

/**
 * Read the tokens of an owner's team.
 *
 * @throws ApiError `not-a-team-member` unless the account is active, `insufficient-permissions`
 */
export async function readAsTokenOwner(
  { accounts, dynamo, provisioning, teams }: Deps,
  userId: string,
): Promise<TokenOwner> {
  const account = await accounts.get(userId);
  if (account?.teamId === undefined || account.status !== "active") throw new ApiError("not-a-team-member");
  const { teamId } = account;
  const items = await batchRead(dynamo, [
    { tableName: teams.tableName, keys: teams.memberKeys(teamId, [userId]) },
    { tableName: provisioning.tableName, keys: provisioning.keys(teamId) },
  ]);
  const member = checkMember(
    teams.memberOf({ teamId, userId }, items),
    { role: "owner" },
    { stranger: "not-a-team-member", member: "insufficient-permissions" },
  );
  return { account, member, provisioning: provisioning.provisioningOf(teamId, items) };
}
