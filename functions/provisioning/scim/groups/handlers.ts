import type * as z from "zod";
import { chunks } from "#shared/platform/chunks.ts";
import { foldCase } from "#shared/platform/fold-case.ts";
import { AnswerList } from "#shared/platform/http/answer-size.ts";
import type { Handlers, Provisioner } from "#shared/platform/http/route.ts";
import type { Group } from "#shared/provisioning/group.ts";
import { attributeTest, selectAttributes } from "../attribute-selection.ts";
import type { Deps } from "../deps.ts";
import { scimLocation } from "../location.ts";
import { parseFilter } from "../parse-filter.ts";
import { maxPerPage, schemaUrns } from "../schemas.ts";
import { toScimList } from "../scim-list.ts";
import { deleteGroup, readGroup, replaceGroup } from "./change-group.ts";
import { createGroup } from "./create-group.ts";
import { withPresentMembers } from "./group-members.ts";
import { patchGroup } from "./patch-group.ts";
import type { GroupView, groupBody, routes } from "./routes.ts";

type Selection = Parameters<typeof attributeTest>[0];

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const toView = (group: Group): GroupView => ({
    schemas: [schemaUrns.group],
    id: group.groupId,
    externalId: group.externalId,
    displayName: group.displayName,
    members: group.memberIds.map((userId) => ({
      value: userId,
      type: "User",
      $ref: scimLocation(deps, `/Users/${userId}`),
    })),
    meta: {
      resourceType: "Group",
      created: new Date(group.createdAt).toISOString(),
      lastModified: new Date(group.updatedAt).toISOString(),
      version: 'W/"1"',
      location: scimLocation(deps, `/Groups/${group.groupId}`),
    },
  });

  /** Looks up members only for a client that wants them. */
  async function show(groups: readonly Group[], { teamId }: Provisioner, selection: Selection) {
    const shown = hasMembers(selection) ? await withPresentMembers(deps, teamId, groups) : groups;
    return shown.map((group) => selectAttributes(toView(group), selection));
  }

  async function list(
    actor: Provisioner,
    { startIndex, ...query }: Omit<Parameters<typeof listGroups>[2], "hasMembers"> & Selection,
  ) {
    const isShown = hasMembers(query);
    const { groups, total } = await listGroups(deps, actor, { ...query, startIndex, hasMembers: isShown });
    const page = new AnswerList<GroupView>();
    for (const view of await show(groups, actor, query)) if (!page.add(view)) break;
    return toScimList(page.items, { startIndex, totalResults: total });
  }

  return {
    "scim-list-groups": async ({ actor, query }) => ({ body: await list(actor, query) }),

    "scim-search-groups": async ({ actor, body }) => ({ body: await list(actor, body) }),

    "scim-post-group": async ({ actor, body }) => {
      const view = toView(await createGroup(deps, actor, toContent(body)));
      return { body: view, headers: { location: view.meta.location } };
    },

    "scim-get-group": async ({ actor, params, query }) => {
      const [view] = await show([await readGroup(deps, actor, params.id)], actor, query);
      return { body: view as GroupView };
    },

    "scim-put-group": async ({ actor, params, body }) => ({
      body: toView(await replaceGroup(deps, actor, { id: params.id, ...toContent(body) })),
    }),

    "scim-delete-group": async ({ actor, params }) => {
      await deleteGroup(deps, actor, params.id);
      return {};
    },

    "scim-patch-group": async ({ actor, params, body }) => ({
      body: toView(await patchGroup(deps, actor, { id: params.id, body })),
    }),
  };
}

const hasMembers = (selection: Selection): boolean => attributeTest(selection)("members");

const toContent = ({ members = [], displayName, externalId }: z.output<typeof groupBody>) => ({
  displayName,
  externalId,
  memberIds: members.map(({ value }) => value),
});

/** A page of the groups that match a filter. */
interface GroupPage {
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
async function listGroups(
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
