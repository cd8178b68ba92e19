import * as z from "zod";
import { uuid } from "#shared/platform/http/wire-types.ts";
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
export const groupView = wholeGroup
  .partial({ displayName: true, members: true, meta: true })
  .meta({ id: "ScimGroup" });
export const groupList = scimList(groupView).meta({ id: "ScimGroupList" });

export const groupPath = z.object({ id: z.string().meta({ description: "Id of the group" }) });
export const groupQuery = z.object(attributeSelection);

export const groupSearchRequest = searchRequest("ScimGroupSearch", 'displayName eq "Engineering"');

export const groupListQuery = z.object({
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
