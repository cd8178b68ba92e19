import { leafOf } from "#shared/devices/mls/leaves.ts";
import type { Write } from "#shared/platform/data/conditions.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "../deps.ts";
import type { CommitSubject } from "./commit-subject.ts";

/**
 * Require that the device is in the group of the conversation if it begins or joins a subconversation. Otherwise, its
 * removal from the conversation would not remove it from the subconversation.
 *
 * @returns conditions of the transaction
 * @throws ApiError `mls-subconv-join-parent-missing`
 */
export async function requireInParent(
  { groups }: Pick<Deps, "groups">,
  { conversation, subconversation, device }: CommitSubject,
): Promise<Write[]> {
  if (subconversation === undefined) return [];
  const parentId = conversation.group?.groupId;
  const parent = parentId === undefined ? undefined : await groups.get(parentId);
  if (parent === undefined || leafOf(parent.leaves, device) === undefined)
    throw new ApiError("mls-subconv-join-parent-missing");
  return [groups.requireUnchanged(parent)];
}
