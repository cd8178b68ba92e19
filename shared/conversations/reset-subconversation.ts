import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Group } from "#shared/devices/mls/group.ts";
import type { GroupStore } from "#shared/devices/mls/group-store.ts";
import { devicesByUser } from "#shared/devices/mls/leaves.ts";
import { type Change, change } from "#shared/platform/messaging/change.ts";
import type { ConversationDeps } from "./conversation-deps.ts";
import { orderConversationJob } from "./conversation-job.ts";
import { successorOf } from "./group-id.ts";
import type { Subconversation } from "./subconversation.ts";
import type { SubconversationKey } from "./subconversation-store.ts";

type ResetDeps = Pick<ConversationDeps, "outbox" | "subconversations">;

/** Replaces the group of a subconversation by an empty one with another id; nobody is told. */
export function subconversationReset(
  { outbox, subconversations }: ResetDeps,
  subconversation: Subconversation,
): Pick<Change, "writes" | "messages"> {
  const { groupId } = subconversation.group;
  const { writes } = subconversations.change(subconversation, { groupId: successorOf(groupId), epoch: 0 });
  return { writes, messages: [orderConversationJob(outbox, { job: "erase-group", groupId })] };
}

/** Whether all devices of a group have left. */
export const isDeserted = ({ leaves }: Pick<Group, "leaves">) => devicesByUser(leaves).size === 0;

/** Reset a subconversation which the last device has left, unless another one has joined meanwhile. May be repeated. */
export const resetIfDeserted = (
  deps: ResetDeps & { readonly dynamo: DynamoDBDocumentClient; readonly groups: GroupStore },
  key: SubconversationKey,
): Promise<void> =>
  change(deps, async () => {
    const subconversation = await deps.subconversations.get(key);
    const group = subconversation && (await deps.groups.get(subconversation.group.groupId));
    return subconversation !== undefined && group !== undefined && isDeserted(group)
      ? subconversationReset(deps, subconversation)
      : undefined;
  });
