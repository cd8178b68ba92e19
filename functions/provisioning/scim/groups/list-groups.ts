import type { Provisioner } from "#shared/platform/http/route.ts";
import type { Group } from "#shared/provisioning/group.ts";
import type { Deps } from "../deps.ts";
import { parseFilter } from "../parse-filter.ts";
import { schemaUrns } from "../schemas.ts";

/** A page of the groups that match a filter. */
export interface GroupPage {
  readonly groups: readonly Group[];
  /** Number of groups on all pages. */
  readonly total: number;
}

/** Members looked up for one page; its first group is always included. */
const maxMembersPerPage = 10_000;

/**
 * List groups of a team in the order of their ids: all, or those whose name contains a text, ignoring case.
 *
 * @param page.startIndex counted from 1
 * @throws ApiError `scim-invalid-filter`
 * @see operation `scim-list-groups`
 */
export async function listGroups(
  { groups }: Deps,
  { teamId }: Provisioner,
  { filter, startIndex, count }: { filter?: string; startIndex: number; count: number },
): Promise<GroupPage> {
  const text = filter === undefined ? "" : parseFilter(filter, grammar).value.toLowerCase();
  const ids: string[] = [];
  for await (const { groupId, displayName } of groups.names(teamId)) {
    if (displayName.toLowerCase().includes(text)) ids.push(groupId);
  }
  const wanted = ids.slice(startIndex - 1, startIndex - 1 + count);
  const found = new Map((await groups.getMany(teamId, wanted)).map((group) => [group.groupId, group]));
  const inOrder = wanted.flatMap((groupId) => found.get(groupId) ?? []);
  return { groups: takeUpToLimit(inOrder), total: ids.length };
}

const grammar = { schema: schemaUrns.group, attributes: { displayName: "co" } } as const;

function takeUpToLimit(groups: readonly Group[]): Group[] {
  let members = 0;
  const end = groups.findIndex(({ memberIds }, index) => {
    members += memberIds.length;
    return index > 0 && members > maxMembersPerPage;
  });
  return groups.slice(0, end < 0 ? groups.length : end);
}
