import { spendBytes } from "#shared/accounts/write-budget.ts";
import { timeAfter } from "#shared/conversations/conversation.ts";
import type { OwnSettings } from "#shared/conversations/conversation-member.ts";
import { NotConversationMemberError } from "#shared/conversations/conversation-store.ts";
import { envelopeOf } from "#shared/conversations/events/conversation-event.ts";
import { conversationOwnUpdate, toOwnUpdateData } from "#shared/conversations/events/members.ts";
import { conversationGroup } from "#shared/events/publisher.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { ChangeCommand } from "../change-conversation.ts";
import type { Deps } from "../deps.ts";
import { readMembership } from "../read-as-member.ts";

/**
 * Change a member's own settings; only the user's own devices are told.
 *
 * @throws ApiError `no-conversation` also for users who are not members
 * @throws RateLimitedError when the user has spent the daily budget for bytes
 * @see operations `update-conversation-self` and its older form
 */
export async function changeOwnSettings(
  deps: Deps,
  { actor, conversationId, ownSettings }: ChangeCommand & { ownSettings: OwnSettings },
): Promise<void> {
  const { clock, conversations, events, settings } = deps;
  const { userId } = actor;
  const membership = { conversationId, userId };
  const charged = spendBytes(deps, actor, Buffer.byteLength(JSON.stringify(ownSettings)));
  await change(deps, async () => {
    const [found] = await Promise.all([readMembership(deps, membership), charged]);
    if (found?.self === undefined) throw new ApiError("no-conversation");
    const { conversation } = found;
    const time = timeAfter(conversation, clock());
    const cause = { from: userId, time, isChange: false };
    return {
      writes: [conversations.changeOwnSettings(membership, ownSettings)],
      messages: events.to(
        { group: conversationGroup(conversationId), time, recipients: [{ userId }], origin: actor },
        conversationOwnUpdate,
        {
          ...envelopeOf(conversation, cause, settings),
          data: toOwnUpdateData(userId, ownSettings, settings),
        },
      ),
    };
  }).catch(answer(NotConversationMemberError, "no-conversation"));
}
