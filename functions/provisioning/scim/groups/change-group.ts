import * as z from "zod";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Provisioner } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Group } from "#shared/provisioning/group.ts";
import type { Deps } from "../deps.ts";
import type { GroupContent } from "./create-group.ts";
import { checkGroupMembers } from "./group-members.ts";

/** Reads a group of a team. @throws ApiError `scim-not-found`, also for a malformed id */
export async function readGroup({ groups }: Deps, { teamId }: Provisioner, id: string): Promise<Group> {
  const groupId = id.toLowerCase();
  const found = z.uuid().safeParse(groupId).success ? await groups.get({ teamId, groupId }) : undefined;
  if (found === undefined) throw new ApiError("scim-not-found");
  return found;
}

/**
 * Replace the name and the members of a group. Writes nothing when both are unchanged.
 *
 * @throws ApiError `scim-not-found`, also for unknown members; `scim-invalid-value`
 * @see operation `scim-put-group`
 */
export async function replaceGroup(
  deps: Deps,
  provisioner: Provisioner,
  { id, displayName, externalId, memberIds }: GroupContent & { id: string },
): Promise<Group> {
  const { clock, groups } = deps;
  return change<Group>(deps, async () => {
    const previous = await readGroup(deps, provisioner, id);
    const content = {
      displayName,
      externalId,
      memberIds: await checkGroupMembers(deps, provisioner.teamId, memberIds, "scim-not-found"),
    };
    const isSame =
      previous.displayName === displayName &&
      previous.externalId === externalId &&
      previous.memberIds.length === content.memberIds.length &&
      new Set([...previous.memberIds, ...content.memberIds]).size === content.memberIds.length;
    if (isSame) return { result: previous };
    const { revision, ...rest } = previous;
    const next = { ...rest, ...content, updatedAt: clock() };
    return { writes: groups.replace(previous, next), result: { ...next, revision: revision + 1 } };
  });
}

/**
 * Delete a group.
 *
 * @throws ApiError `scim-not-found`
 * @see operation `scim-delete-group`
 */
export const deleteGroup = (deps: Deps, provisioner: Provisioner, id: string): Promise<void> =>
  change(deps, async () => ({ writes: deps.groups.remove(await readGroup(deps, provisioner, id)) }));
