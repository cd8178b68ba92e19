import * as z from "zod";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { uuid } from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { patchBody } from "../patch/schemas.ts";
import {
  attributeNormalizer,
  attributeSelection,
  paging,
  schemaUrns,
  scimList,
  searchRequest,
} from "../schemas.ts";

const member = z.object({
  value: uuid.meta({ description: "Id of a user provisioned by the directory" }),
  type: z.unknown().meta({ description: "Ignored, as is `$ref`" }).optional(),
});

/** Names in any case; anything else that a directory sends, such as the address of a member, is ignored. */
const normalize = attributeNormalizer(["schemas", "externalId", "displayName", "members", "value", "type"]);

export const groupBody = z
  .preprocess(
    normalize,
    z.object({
      schemas: z.array(z.string()).optional(),
      externalId: z.string().max(1024).optional().meta({ description: "Id of the group in the directory" }),
      displayName: z.string().min(1).max(4000),
      members: z.array(member).optional(),
    }),
  )
  .meta({
    id: "ScimGroupRequest",
    description: "Names of attributes may be in any case; null and `[]` count as absent",
    examples: [
      {
        schemas: [schemaUrns.group],
        displayName: "Engineering",
        members: [{ value: "2b6a2d2c-5b7a-4f0e-9a53-4f6f0a1f4c11", type: "User" }],
      },
    ],
  });

const wholeGroup = z.object({
  schemas: z.array(z.literal(schemaUrns.group)),
  id: uuid,
  externalId: z.string().optional(),
  displayName: z.string(),
  members: z.array(
    z.object({
      value: uuid.meta({ description: "Id of the user" }),
      type: z.literal("User"),
      $ref: z.string().meta({ description: "Address of the user" }),
    }),
  ),
  meta: z.object({
    resourceType: z.literal("Group"),
    created: z.iso.datetime(),
    lastModified: z.iso.datetime(),
    version: z.string().meta({ description: "Always the same: groups have no versions" }),
    location: z.string().meta({ description: "Address of the group" }),
  }),
});
export type GroupView = z.infer<typeof wholeGroup>;

/** Only the attributes that the client has selected. */
const groupView = wholeGroup
  .partial({ displayName: true, members: true, meta: true })
  .meta({ id: "ScimGroup" });
const groupList = scimList(groupView).meta({ id: "ScimGroupList" });

const groupPath = z.object({ id: z.string().meta({ description: "Id of the group" }) });
const groupQuery = z.object(attributeSelection);

const groupSearchRequest = searchRequest("ScimGroupSearch", 'displayName eq "Engineering"');

const groupListQuery = z.object({
  filter: z
    .string()
    .optional()
    .meta({
      description: '`displayName eq "…"` or `displayName co "…"`',
      examples: ['displayName co "eng"'],
    }),
  ...paging,
  ...attributeSelection,
});

const groups = {
  path: "/scim/v2/Groups",
  allowsTrailingSlash: true,
  auth: "scim",
  errorFormat: "scim",
  errors: [],
} as const;
const oneGroup = {
  ...groups,
  path: "/scim/v2/Groups/{id}",
  params: groupPath,
  errors: ["scim-not-found"],
} as const;
/** Enough for the largest group that an operator may allow. */
const withBody = { bodyFormat: "scim", bodyLimit: 1024 * 1024 } as const;
const managed = "Members are users provisioned by the directory; whoever leaves the team leaves the group.";

export const routes = defineRoutes({
  "scim-list-groups": {
    ...groups,
    method: "GET",
    summary: "List groups, in pages",
    description:
      "In the order of their ids. A page may have fewer groups than requested, because its size is limited.",
    query: groupListQuery,
    responses: { 200: groupList },
    errors: ["scim-invalid-filter"],
  },
  "scim-search-groups": {
    ...groups,
    method: "POST",
    audit: unaudited.reading,
    path: "/scim/v2/Groups/.search",
    summary: "List groups by a request body",
    description: "Same as `scim-list-groups`, for filters that do not belong into an address.",
    body: groupSearchRequest,
    bodyFormat: "scim",
    responses: { 200: groupList },
    errors: ["scim-invalid-filter"],
  },
  "scim-post-group": {
    ...groups,
    ...withBody,
    body: groupBody,
    method: "POST",
    audit: "provisioning.group-changed",
    summary: "Create a group",
    description: managed,
    responses: { 201: groupView },
    responseHeaders: { Location: "Address of the group" },
    errors: ["scim-invalid-value", "scim-too-many-groups", "scim-not-found"],
  },
  "scim-get-group": {
    ...oneGroup,
    method: "GET",
    summary: "Get a group",
    query: groupQuery,
    responses: { 200: groupView },
  },
  "scim-put-group": {
    ...oneGroup,
    ...withBody,
    body: groupBody,
    method: "PUT",
    audit: "provisioning.group-changed",
    summary: "Replace the name and the members of a group",
    description: managed,
    responses: { 200: groupView },
    errors: [...oneGroup.errors, "scim-invalid-value"],
  },
  "scim-delete-group": {
    ...oneGroup,
    method: "DELETE",
    audit: "provisioning.group-changed",
    summary: "Delete a group",
    description: "Its members keep their accounts.",
    responses: { 204: null },
  },
  "scim-patch-group": {
    ...oneGroup,
    ...withBody,
    method: "PATCH",
    audit: "provisioning.group-changed",
    summary: "Change the name of a group, or some of its members",
    description: `Members are named in a path or in a value; who is no member is removed without effect. ${managed}`,
    body: patchBody,
    responses: { 200: groupView },
    errors: [
      ...oneGroup.errors,
      "scim-invalid-value",
      "scim-invalid-operation",
      "scim-invalid-path",
      "scim-invalid-filter",
      "scim-no-target",
      "scim-mutability",
    ],
  },
});
