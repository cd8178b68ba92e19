import type { AccountDeps } from "#shared/accounts/account-deps.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Account } from "./account.ts";
import { findInvitation, joinAsInvited } from "./find-invitation.ts";
import { storedEmailIdentity } from "./identity.ts";
import { answerJoining } from "./join-team.ts";

type Deps = Pick<
  AccountDeps,
  "accounts" | "clock" | "domains" | "dynamo" | "events" | "invitations" | "outbox" | "settings" | "teams"
>;

/**
 * Let an existing account join the team that invited its address. The password has been checked.
 *
 * @returns the id of the team
 * @throws ApiError `missing-identity`, `invalid-invitation-code`, `condition-failed`, `no-team`, `too-many-team-members`,
 *   `too-many-members-for-legalhold`, `cannot-join-multiple-teams`, in this order
 */
export async function acceptInvitation(
  deps: Deps,
  account: Account,
  code: string,
  actor: Actor = { userId: account.userId },
): Promise<string> {
  const { accounts, settings } = deps;
  return change(deps, async (attempt) => {
    const current = attempt === 1 ? account : await accounts.get(account.userId);
    if (current?.email === undefined || current.status !== "active") throw new ApiError("missing-identity");
    const { invitation, state, invitee } = await findInvitation(
      deps,
      code,
      storedEmailIdentity(current.email, settings),
    );
    // The removed account would be left without an owner.
    if (invitee !== undefined) throw new ApiError("invalid-invitation-code");
    if (current.teamId !== undefined) throw new ApiError("cannot-join-multiple-teams");
    const joining = joinAsInvited(deps, { previous: current, next: current }, { invitation, state }, actor);
    return { ...joining, result: invitation.teamId };
  }).catch(answerJoining);
}
