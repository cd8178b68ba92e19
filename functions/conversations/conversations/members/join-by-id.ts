import { AccountNotFoundError } from "#shared/accounts/account-errors.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { ChangeCommand } from "../common/change-conversation.ts";
import { checkAccessRoles } from "../common/check-access-roles.ts";
import { joinChange } from "../common/join.ts";
import type { Deps } from "../deps.ts";

/**
 * Join a conversation that is open to those who know its id.
 *
 * @returns the event; undefined for a user who is a member
 * @throws ApiError `no-conversation`, `access-denied`, `not-a-team-member`, `invalid-op`, `too-many-members`
 * @see operation `join-conversation-by-id-unqualified`
 */
export const joinById = (deps: Deps, { actor, conversationId }: ChangeCommand) =>
  change(deps, async () => {
    const [found, account] = await Promise.all([
      deps.conversations.getPopulated(conversationId),
      deps.accounts.get(actor.userId),
    ]);
    if (found === undefined) throw new ApiError("no-conversation");
    if (!found.conversation.access.includes("link")) throw new ApiError("access-denied");
    checkAccessRoles(found.conversation, [account]);
    return joinChange(deps, found, { actor });
  }).catch(answer(AccountNotFoundError, "access-denied"));
