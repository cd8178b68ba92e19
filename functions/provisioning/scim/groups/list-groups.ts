import { chunks } from "#shared/platform/chunks.ts";
import { foldCase } from "#shared/platform/fold-case.ts";
import type { Provisioner } from "#shared/platform/http/route.ts";
import type { Group } from "#shared/provisioning/group.ts";
import type { Deps } from "../deps.ts";
import { parseFilter } from "../parse-filter.ts";
import { maxPerPage, schemaUrns } from "../schemas.ts";

/** A page of the groups that match a filter. */
export interface GroupPage {
  readonly groups: readonly Group[];
  /** Number of groups on all pages. */
  readonly total: number;
}

/** Members looked up for one page; its first group is always included. */
const maxMembersPerPage = 10_000;
/** Groups read together: few, because a page may end after any of them, and an item has all members of its group. */
const groupsPerRead = 10;

/**
 * List groups of a team in the order of their ids: all, or those whose name is or contains a text, ignoring case.
 *
 * @param page.startIndex counted from 1
 * @param page.hasMembers whether members are shown; their number limits the page
 * @throws ApiError `scim-invalid-filter`
 * @see operation `scim-list-groups`
 */
export async function listGroups(
  { groups }: Deps,
  { teamId }: Provisioner,
  {
    filter,
    startIndex,
    count,
    hasMembers,
  }: { filter?: string; startIndex: number; count: number; hasMembers: boolean },
): Promise<GroupPage> {
  const isWanted = nameTest(filter);
  const ids: string[] = [];
  for await (const { groupId, displayName } of groups.names(teamId)) {
    if (isWanted(displayName)) ids.push(groupId);
  }
  const wanted = ids.slice(startIndex - 1, startIndex - 1 + count);
  const page: Group[] = [];
  let members = 0;
  for (const some of chunks(wanted, hasMembers ? groupsPerRead : maxPerPage)) {
    const found = new Map((await groups.getMany(teamId, some)).map((group) => [group.groupId, group]));
    for (const group of some.flatMap((groupId) => found.get(groupId) ?? [])) {
      members += group.memberIds.length;
      const isFull = hasMembers && page.length > 0 && members > maxMembersPerPage;
      if (isFull) return { groups: page, total: ids.length };
      page.push(group);
    }
  }
  return { groups: page, total: ids.length };
}

const grammar = { schema: schemaUrns.group, attributes: { displayName: ["co", "eq"] } } as const;

/** Whether a name fits a filter, ignoring case, and how accents are composed. */
function nameTest(filter: string | undefined): (name: string) => boolean {
  if (filter === undefined) return () => true;
  const { operator, value } = parseFilter(filter, grammar);
  const text = foldCase(value);
  return operator === "eq" ? (name) => foldCase(name) === text : (name) => foldCase(name).includes(text);
}
