import type { Account } from "#shared/accounts/account.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { TeamProvisioning } from "#shared/provisioning/team-provisioning.ts";
import type { ErrorName } from "#shared/registry/errors.ts";
import type { TeamFeatures } from "#shared/teams/features/feature.ts";
import { isTeamAdmin, type Member } from "#shared/teams/member.ts";
import { isOpen } from "#shared/teams/team.ts";
import type { Deps } from "../deps.ts";

/** A user who may manage the identity providers of a team, and the team. */
export interface TeamAdmin {
  readonly account: Account;
  readonly member: Member;
  readonly features: TeamFeatures;
  readonly provisioning: TeamProvisioning;
}

/**
 * Read the team of a user who manages its identity providers: an active user, admin or owner, in a team that is neither
 * suspended nor being deleted.
 *
 * @param options.teamless the error for users without a team
 * @param options.account the account, if it has been read already
 * @throws ApiError `insufficient-permissions`, and `teamless`
 */
export async function readTeamAdmin(
  deps: Deps,
  userId: string,
  {
    teamless = "insufficient-permissions",
    account: known,
  }: { teamless?: ErrorName; account?: Account | undefined } = {},
): Promise<TeamAdmin> {
  const { accounts, features, provisioning, teams } = deps;
  const account = known ?? (await accounts.get(userId));
  const teamId = account?.status === "active" ? account.teamId : undefined;
  if (account === undefined || teamId === undefined) throw new ApiError(teamless);
  const [team, member, ofTeam, provisioned] = await Promise.all([
    teams.get(teamId),
    teams.getMember({ teamId, userId }),
    features.get(teamId),
    provisioning.get(teamId),
  ]);
  if (team === undefined || member === undefined || !isOpen(team)) throw new ApiError(teamless);
  if (!isTeamAdmin(member)) throw new ApiError("insufficient-permissions");
  return { account, member, features: ofTeam, provisioning: provisioned };
}

/** Conditions for a change that the user is still an admin. Rejected as `StaleReadError`. */
export const requireTeamAdmin = ({ teams }: Deps, { member }: TeamAdmin) => [
  teams.requirePermissions(member),
  teams.requireOpen(member.teamId),
];
