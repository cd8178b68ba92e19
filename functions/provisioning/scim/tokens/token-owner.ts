import type { Account } from "#shared/accounts/account.ts";
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
  { accounts, provisioning, teams }: Deps,
  userId: string,
): Promise<TokenOwner> {
  const account = await accounts.get(userId);
  if (account?.teamId === undefined || account.status !== "active") throw new ApiError("not-a-team-member");
  const { teamId } = account;
  const [found, ofTeam] = await Promise.all([teams.getMember({ teamId, userId }), provisioning.get(teamId)]);
  const member = checkMember(
    found,
    { role: "owner" },
    { stranger: "not-a-team-member", member: "insufficient-permissions" },
  );
  return { account, member, provisioning: ofTeam };
}
