import { joinTeam } from "#shared/accounts/join-team.ts";
import { isSameContent } from "#shared/platform/data/unknown-fields.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Member } from "#shared/teams/member.ts";
import {
  TeamFullError,
  TeamFullForLegalHoldError,
  TeamNotFoundError,
  TooManyAdminsError,
} from "#shared/teams/team-errors.ts";
import type { Deps } from "../deps.ts";

/**
 * Add the user of an existing account to a team, as an internal caller. Repeating it changes nothing.
 *
 * @throws ApiError `not-found` unless the account is active; `user-already-in-a-team`, `too-many-team-members`,
 *   `too-many-members-for-legalhold`, `too-many-team-admins`, `no-team`
 * @see operation `i-add-team-member`
 */
export async function addMember(deps: Deps, member: Omit<Member, "legalHoldStatus">): Promise<void> {
  const { accounts, teams } = deps;
  await change(deps, async () => {
    const account = await accounts.get(member.userId);
    if (account?.status !== "active") throw new ApiError("not-found");
    if (account.teamId === undefined)
      return joinTeam(
        deps,
        { previous: account, next: account },
        { ...member, legalHoldStatus: "no_consent" },
      );
    const existing = await teams.getMember(member);
    const isAdded = existing !== undefined && isSameContent(existing.permissions, member.permissions);
    if (!isAdded) throw new ApiError("user-already-in-a-team");
    return undefined;
  })
    .catch(answer(TeamNotFoundError, "no-team"))
    .catch(answer(TeamFullError, "too-many-team-members"))
    .catch(answer(TeamFullForLegalHoldError, "too-many-members-for-legalhold"))
    .catch(answer(TooManyAdminsError, "too-many-team-admins"));
}
