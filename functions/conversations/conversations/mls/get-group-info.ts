import type { Membership } from "#shared/conversations/conversation-store.ts";
import { retryStale, StaleReadError } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "../deps.ts";
import { readMembership } from "../read-as-member.ts";

/**
 * Get the group info from the last commit to the group of a conversation or subconversation.
 *
 * @throws ApiError `no-conversation`, `mls-missing-group-info`
 * @see operations `get-group-info`, `get-subconversation-group-info`
 */
export function getGroupInfo(
  deps: Deps,
  membership: Membership,
  subconversationId?: string,
): Promise<Buffer> {
  const { conversationId } = membership;
  return retryStale(async () => {
    const [found, subconversation] = await Promise.all([
      readMembership(deps, membership),
      subconversationId === undefined
        ? undefined
        : deps.subconversations.get({ conversationId, subconversationId }),
    ]);
    if (found?.self === undefined) throw new ApiError("no-conversation");
    const place = subconversationId === undefined ? found.conversation : subconversation;
    const { groupId } = place?.group ?? {};
    const group = groupId === undefined ? undefined : await deps.groups.get(groupId);
    if (group === undefined) throw new ApiError("mls-missing-group-info");
    const bytes = await deps.groups.getGroupInfo(group);
    if (bytes === undefined) throw new StaleReadError(`group info of ${conversationId}`);
    return bytes;
  });
}
