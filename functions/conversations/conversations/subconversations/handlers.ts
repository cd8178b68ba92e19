import { orderConversationJob } from "#shared/conversations/conversation-job.ts";
import type { Membership } from "#shared/conversations/conversation-store.ts";
import {
  isDeserted,
  resetIfDeserted,
  subconversationReset,
} from "#shared/conversations/reset-subconversation.ts";
import type { SubconversationKey } from "#shared/conversations/subconversation-store.ts";
import { leafOf } from "#shared/devices/mls/leaves.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import type { Int64 } from "#shared/platform/int64.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "../deps.ts";
import { getGroupInfo } from "../mls/get-group-info.ts";
import { protocolError } from "../mls/protocol-error.ts";
import { readAsMember } from "../read-as-member.ts";
import { getSubconversation, toSubconversationView } from "./get-subconversation.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "get-subconversation": async ({ actor: { userId }, params }) => {
      const found = await getSubconversation(deps, { userId, ...toKey(params) });
      return { body: toSubconversationView(found, deps.settings) };
    },
    "delete-subconversation": async ({ actor: { userId }, params, body }) => {
      const group = { groupId: body.group_id.toString("base64"), epoch: body.epoch };
      await deleteSubconversation(deps, { userId, ...toKey(params), ...group });
      return { body: [] };
    },
    "get-subconversation-group-info": async ({ actor: { userId }, params: { cid, subconv } }) => ({
      body: await getGroupInfo(deps, { conversationId: cid, userId }, subconv),
    }),
    "leave-subconversation": async ({ actor, params }) => {
      await leaveSubconversation(deps, { actor, ...toKey(params) });
      return {};
    },
  };
}

const toKey = ({ cid, subconv }: { cid: string; subconv: string }): SubconversationKey => ({
  conversationId: cid,
  subconversationId: subconv,
});

/**
 * Replace the group of a subconversation by an empty one, because its devices no longer agree on its state. Any member
 * may do it.
 *
 * @throws ApiError `no-conversation`, `access-denied`, `mls-stale-message`
 * @see operation `delete-subconversation`
 */
function deleteSubconversation(
  deps: Deps,
  {
    userId,
    groupId,
    epoch,
    ...key
  }: SubconversationKey & Membership & { readonly groupId: string; readonly epoch: Int64 },
): Promise<void> {
  const { conversationId } = key;
  return change(deps, async () => {
    const [, subconversation] = await Promise.all([
      readAsMember(deps, { conversationId, userId }),
      deps.subconversations.get(key),
    ]);
    if (subconversation?.group.groupId !== groupId) throw new ApiError("no-conversation");
    if (subconversation.group.epoch !== epoch) throw new ApiError("mls-stale-message");
    return subconversationReset(deps, subconversation);
  });
}

/**
 * Take the calling device out of a subconversation; it gets no further messages. A job proposes its removal to the
 * others. When a call ends, all devices leave at the same instant: none of them waits for another.
 *
 * @throws ApiError `no-conversation`, `access-denied`, `mls-protocol-error` when the device is not in it
 * @see operation `leave-subconversation`
 */
async function leaveSubconversation(
  deps: Deps,
  { actor: { userId, clientId }, ...key }: SubconversationKey & { readonly actor: Actor },
): Promise<void> {
  const { groups, outbox } = deps;
  const { conversationId } = key;
  const groupId = await change(deps, async () => {
    const [, subconversation] = await Promise.all([
      readAsMember(deps, { conversationId, userId }),
      deps.subconversations.get(key),
    ]);
    if (subconversation === undefined) throw new ApiError("no-conversation");
    const device = clientId === undefined ? undefined : { userId, clientId };
    const group = await groups.get(subconversation.group.groupId);
    if (device === undefined || group === undefined || leafOf(group.leaves, device) === undefined)
      throw protocolError("The device is not in the subconversation");
    return {
      writes: [groups.depart(group, device)],
      messages: [orderConversationJob(outbox, { job: "propose-removals", ...key, userIds: [] })],
      result: group.groupId,
    };
  });
  // When devices leave at the same instant, the last one finds all of them gone. If this fails, the job does it.
  const left = await groups.get(groupId);
  if (left !== undefined && isDeserted(left)) await resetIfDeserted(deps, key);
}
