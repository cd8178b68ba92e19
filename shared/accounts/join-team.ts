import type { AccountDeps } from "#shared/accounts/account-deps.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import type { Change } from "#shared/platform/messaging/change.ts";
import { announceJoin } from "#shared/teams/announce-join.ts";
import type { Member } from "#shared/teams/member.ts";
import {
  TeamFullError,
  TeamFullForLegalHoldError,
  TeamNotFoundError,
  TooManyAdminsError,
} from "#shared/teams/team-errors.ts";
import type { Account } from "./account.ts";
import { userUpdate } from "./events.ts";
import { indexUpdateMessages } from "./index-update.ts";

/** Dependencies of joining a team. */
export type JoiningDeps = Pick<AccountDeps, "accounts" | "clock" | "events" | "outbox" | "teams">;

/**
 * Decides what to write and announce when an account joins a team, an existing one or a new one. Rejected as
 * `TeamFullError`, `TeamFullForLegalHoldError`, `TooManyAdminsError` or `TeamNotFoundError`.
 *
 * @param account.previous absent: the account is created
 */
export function joinTeam(
  { accounts, outbox, teams, ...deps }: JoiningDeps,
  { previous, next }: { readonly previous?: Account; readonly next: Account },
  member: Member,
  actor: Actor = { userId: next.userId },
): Change {
  const { teamId, userId } = member;
  const joined: Account = { ...next, teamId };
  const audience = {
    group: userId,
    recipients: [{ userId }],
    contactsOf: userId,
    membersOf: { teamId, members: "all" as const },
    origin: actor,
  };
  const user = { id: userId, team: teamId, sso_id_deleted: false };
  return {
    writes: [...accounts.save(previous, joined), ...teams.addMember(member)],
    messages: [
      ...deps.events.to(audience, userUpdate, { user }),
      ...announceJoin(deps, member, actor),
      ...indexUpdateMessages(outbox, previous, joined),
    ],
  };
}

/** Turns errors of joining a team into those of the interface, which does not distinguish most kinds of full teams. */
export function answerJoining(error: unknown): never {
  const isFull = error instanceof TeamFullError || error instanceof TooManyAdminsError;
  if (isFull) throw new ApiError("too-many-team-members", { cause: error });
  if (error instanceof TeamFullForLegalHoldError)
    throw new ApiError("too-many-members-for-legalhold", { cause: error });
  return answer(TeamNotFoundError, "no-team")(error);
}
