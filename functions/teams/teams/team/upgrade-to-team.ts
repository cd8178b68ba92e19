import type * as z from "zod";
import { type Account, isActivated } from "#shared/accounts/account.ts";
import { userUpdate } from "#shared/accounts/events.ts";
import { mailDomain } from "#shared/accounts/identity.ts";
import { indexUpdateMessages } from "#shared/accounts/index-update.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { type Change, change, combine } from "#shared/platform/messaging/change.ts";
import { foundTeam, type newTeam } from "#shared/teams/found-team.ts";
import { checkUpgrade } from "#shared/teams/registered-domains/domain-rules.ts";
import type { Team } from "#shared/teams/team.ts";
import { welcomeMail } from "#shared/teams/welcome-mail.ts";
import type { Deps } from "../deps.ts";

/**
 * Found a team with a personal account, which keeps all that it has.
 *
 * @throws ApiError `not-found` unless the account is active, `user-already-in-a-team`, `condition-failed`; the order of
 *   the checks is part of the interface
 * @see operation `upgrade-personal-to-team`
 */
export async function upgradeToTeam(
  deps: Deps,
  actor: Actor,
  team: z.output<typeof newTeam>,
): Promise<Pick<Team, "teamId" | "name">> {
  const { accounts, domains, outbox } = deps;
  return change(deps, async () => {
    const account = await accounts.get(actor.userId);
    if (account?.status !== "active" || !isActivated(account)) throw new ApiError("not-found");
    if (account.teamId !== undefined) throw new ApiError("user-already-in-a-team");
    if (account.email !== undefined) checkUpgrade(await domains.rulesOf(mailDomain(account.email)));
    const founding = foundTeam(deps, { founderId: account.userId, team, status: "active" });
    const entered = enterFoundedTeam(deps, account, founding.team.teamId, actor);
    const welcome = { messages: welcomeMail(outbox, account, founding.team) };
    return { ...combine(founding, entered, welcome), result: founding.team };
  });
}

/** Decides what an account becomes in the team that its user founds. */
export function enterFoundedTeam(
  { accounts, events, outbox }: Deps,
  account: Account,
  teamId: string,
  actor: Actor = { userId: account.userId },
): Change {
  const member: Account = { ...account, teamId };
  const user = { id: account.userId, team: teamId, sso_id_deleted: false };
  return {
    writes: accounts.save(account, member),
    messages: [
      ...events.toSelfAndContacts(actor, userUpdate, { user }),
      ...indexUpdateMessages(outbox, account, member),
    ],
  };
}
