import { randomUUID } from "node:crypto";
import { answer } from "#shared/platform/http/answer.ts";
import type { Provisioner } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Group } from "#shared/provisioning/group.ts";
import { TooManyGroupsError } from "#shared/provisioning/group-store.ts";
import { TeamNotFoundError } from "#shared/teams/team-errors.ts";
import type { Deps } from "../deps.ts";
import { checkGroupMembers } from "./group-members.ts";

/** A group as its directory describes it. */
export interface GroupContent {
  readonly displayName: string;
  readonly externalId?: string;
  readonly memberIds: readonly string[];
}

/**
 * Create a group in a team.
 *
 * @throws ApiError `scim-invalid-value`, `scim-too-many-groups`, `scim-not-found` when the team is being deleted
 * @see operation `scim-post-group`
 */
export async function createGroup(
  deps: Deps,
  { teamId }: Provisioner,
  { displayName, externalId, memberIds }: GroupContent,
): Promise<Group> {
  const { clock, groups, teams } = deps;
  const now = clock();
  const created = {
    teamId,
    groupId: randomUUID(),
    displayName,
    externalId,
    memberIds: await checkGroupMembers(deps, teamId, memberIds, "scim-invalid-value"),
    createdAt: now,
    updatedAt: now,
  };
  await change(deps, async () => ({ writes: [...groups.create(created), teams.requirePresent(teamId)] }))
    .catch(answer(TooManyGroupsError, "scim-too-many-groups"))
    .catch(answer(TeamNotFoundError, "scim-not-found"));
  return { ...created, revision: 1 };
}
