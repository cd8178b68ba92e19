import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Provisioner } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Group } from "#shared/provisioning/group.ts";
import type { Deps } from "../deps.ts";
import type { Json } from "../patch/read-patch.ts";
import { readGroup } from "./change-group.ts";
import { checkGroupMembers, checkGroupSize, withPresentMembers } from "./group-members.ts";
import { type GroupEdit, readGroupOperations } from "./read-operations.ts";

/**
 * Change the name, the external id and single members of a group: all operations take effect or none. Members who have
 * left the team are dropped, because a directory that only patches would otherwise fill the group with them. Writes
 * nothing when nothing changes.
 *
 * @throws ApiError `scim-not-found`, `scim-invalid-value` (also for an unknown member), those of `readGroupOperations`
 * @see operation `scim-patch-group`
 */
export async function patchGroup(
  deps: Deps,
  provisioner: Provisioner,
  { id, body }: { readonly id: string; readonly body: Json },
): Promise<Group> {
  const { clock, groups, settings } = deps;
  const { teamId } = provisioner;
  const edits = readGroupOperations(body);
  return change<Group>(deps, async () => {
    const stored = await readGroup(deps, provisioner, id);
    const [previous = stored] = await withPresentMembers(deps, teamId, [stored]);
    const { revision, ...next } = applyGroupEdits(previous, edits);
    const present = new Set(previous.memberIds);
    const added = next.memberIds.filter((userId) => !present.has(userId));
    const isSame =
      next.displayName === previous.displayName &&
      next.externalId === previous.externalId &&
      next.memberIds.length === present.size &&
      added.length === 0;
    if (isSame) return { result: previous };
    checkGroupSize(next.memberIds.length, settings);
    await checkGroupMembers(deps, teamId, added, "scim-invalid-value");
    const changed = { ...next, updatedAt: clock() };
    return { writes: groups.replace(stored, changed), result: { ...changed, revision: revision + 1 } };
  });
}

/** The group after all edits, in order. @throws ApiError `scim-no-target` */
export function applyGroupEdits(group: Group, edits: readonly GroupEdit[]): Group {
  let { displayName, externalId } = group;
  let members = new Set(group.memberIds);
  for (const edit of edits)
    switch (edit.kind) {
      case "name":
        displayName = edit.displayName;
        break;
      case "external-id":
        externalId = edit.externalId;
        break;
      case "set":
        members = new Set(edit.memberIds);
        break;
      case "exchange":
        if (!members.delete(edit.memberId))
          throw new ApiError("scim-no-target", { message: "members: the group has no such member" });
        for (const id of edit.memberIds) members.add(id);
        break;
      case "add":
        for (const id of edit.memberIds) members.add(id);
        break;
      case "remove":
        for (const id of edit.memberIds) members.delete(id);
        break;
    }
  return { ...group, displayName, externalId, memberIds: [...members] };
}
