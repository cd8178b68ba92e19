import type * as z from "zod";
import { AnswerList } from "#shared/platform/http/answer-size.ts";
import type { Handlers, Provisioner } from "#shared/platform/http/route.ts";
import type { Group } from "#shared/provisioning/group.ts";
import { attributeTest, selectAttributes } from "../attribute-selection.ts";
import type { Deps } from "../deps.ts";
import { scimLocation } from "../location.ts";
import { schemaUrns } from "../schemas.ts";
import { toScimList } from "../scim-list.ts";
import { deleteGroup, readGroup, replaceGroup } from "./change-group.ts";
import { createGroup } from "./create-group.ts";
import { withPresentMembers } from "./group-members.ts";
import { listGroups } from "./list-groups.ts";
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
