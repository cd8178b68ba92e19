import { announce } from "#shared/conversations/announce.ts";
import { orderConversationJob } from "#shared/conversations/conversation-job.ts";
import { conversationMlsReset } from "#shared/conversations/events/lifecycle.ts";
import { successorOf } from "#shared/conversations/group-id.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import type { Int64 } from "#shared/platform/int64.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "../deps.ts";
import { getGroupInfo } from "./get-group-info.ts";
import type { routes } from "./routes.ts";
import { type Committed, sendCommit } from "./send-commit.ts";
import { sendMlsMessage } from "./send-mls-message.ts";
import { targetOf } from "./target.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "mls-commit-bundle": async ({ actor, body }) =>
      toReply(await sendCommit(deps, { actor, bytes: Buffer.from(body) })),
    "mls-message": async ({ actor, body }) =>
      toReply({ events: [], time: await sendMlsMessage(deps, { actor, bytes: Buffer.from(body) }) }),
    "mls-reset-conversation": async ({ actor, body }) => {
      await resetGroup(deps, { actor, groupId: body.group_id, epoch: body.epoch });
      return {};
    },
    "get-group-info": async ({ actor: { userId }, params }) => ({
      body: await getGroupInfo(deps, { conversationId: params.cid, userId }),
    }),
  };
}

const toReply = ({ events, time }: Committed) => ({
  body: { events, time: new Date(time).toISOString() },
});

/**
 * Replace the group of a conversation by an empty one with another id, because its devices no longer agree on its
 * state. Any member may do it; the members stay.
 *
 * @throws ApiError `mls-protocol-error`, `federation-not-enabled`, `no-conversation`, `invalid-op`, `mls-stale-message`
 * @see operation `mls-reset-conversation`
 */
async function resetGroup(
  deps: Deps,
  { actor, groupId: given, epoch }: { actor: Actor; groupId: Buffer; epoch: Int64 },
): Promise<void> {
  const { conversations, outbox, settings } = deps;
  const { conversationId, subconversationId, groupId } = targetOf(given, settings);
  if (subconversationId !== undefined) throw new ApiError("invalid-op");
  await change(deps, async () => {
    const found = await conversations.getPopulated(conversationId);
    if (!found?.members.some(({ userId }) => userId === actor.userId)) throw new ApiError("no-conversation");
    const { conversation, members } = found;
    const { group } = conversation;
    if (group === undefined || group.epoch === 0) throw new ApiError("invalid-op");
    if (group.groupId !== groupId) throw new ApiError("no-conversation");
    if (group.epoch !== epoch) throw new ApiError("mls-stale-message");

    const nextId = successorOf(groupId);
    const { next, writes } = conversations.change(conversation, {
      fields: { group: { groupId: nextId, epoch: 0 } },
    });
    const { messages } = announce(deps, conversationMlsReset, {
      conversation: next,
      actor,
      recipients: members,
      data: { group_id: groupId, new_group_id: nextId },
    });
    const erasure = orderConversationJob(outbox, { job: "erase-group", groupId });
    return { writes, messages: [...messages, erasure] };
  });
}
