import { orderConversationJob } from "#shared/conversations/conversation-job.ts";
import { isDeserted, resetIfDeserted } from "#shared/conversations/reset-subconversation.ts";
import type { SubconversationKey } from "#shared/conversations/subconversation-store.ts";
import { leafOf } from "#shared/devices/mls/leaves.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Actor } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "../deps.ts";
import { protocolError } from "../mls/protocol-error.ts";
import { readAsMember } from "../read-as-member.ts";

/**
 * Take the calling device out of a subconversation; it gets no further messages. A job proposes its removal to the
 * others. When a call ends, all devices leave at the same instant: none of them waits for another.
 *
 * @throws ApiError `no-conversation`, `access-denied`, `mls-protocol-error` when the device is not in it
 * @see operation `leave-subconversation`
 */
export async function leaveSubconversation(
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
