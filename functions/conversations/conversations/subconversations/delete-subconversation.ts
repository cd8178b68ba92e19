import type { Membership } from "#shared/conversations/conversation-store.ts";
import { subconversationReset } from "#shared/conversations/reset-subconversation.ts";
import type { SubconversationKey } from "#shared/conversations/subconversation-store.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Int64 } from "#shared/platform/int64.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "../deps.ts";
import { readAsMember } from "../read-as-member.ts";

/**
 * Replace the group of a subconversation by an empty one, because its devices no longer agree on its state. Any member
 * may do it.
 *
 * @throws ApiError `no-conversation`, `access-denied`, `mls-stale-message`
 * @see operation `delete-subconversation`
 */
export function deleteSubconversation(
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
