import type { TeamStore } from "#shared/teams/team-store.ts";
import { type Account, isActivated } from "../account.ts";
import type { AccountAndTeam } from "./activation-code.ts";

/** Adds the name of the team that an account is founding, while neither is active. */
export async function withFoundedTeam(teams: TeamStore, account: Account): Promise<AccountAndTeam> {
  if (account.teamId === undefined || isActivated(account)) return account;
  const team = await teams.get(account.teamId);
  return team?.creator === account.userId ? { ...account, foundedTeam: team.name } : account;
}
