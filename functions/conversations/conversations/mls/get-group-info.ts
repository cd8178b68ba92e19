import type { Membership } from "#shared/conversations/conversation-store.ts";
import { retryStale, StaleReadError } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "../deps.ts";
import { readMembership } from "../read-as-member.ts";

/**
 * Get the group info that the last commit to a conversation's group has left.
 *
 * @throws ApiError `no-conversation`, `mls-missing-group-info`
 * @see operation `get-group-info`
 */
export function getGroupInfo(deps: Deps, membership: Membership): Promise<Buffer> {
  return retryStale(async () => {
    const { conversation, self } = (await readMembership(deps, membership)) ?? {};
    if (conversation === undefined || self === undefined) throw new ApiError("no-conversation");
    const { groupId } = conversation.group ?? {};
    const group = groupId === undefined ? undefined : await deps.groups.get(groupId);
    if (group === undefined) throw new ApiError("mls-missing-group-info");
    const found = await deps.groups.getGroupInfo(group);
    if (found === undefined) throw new StaleReadError(`group info of ${membership.conversationId}`);
    return found;
  });
}
