import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { patchBody } from "../patch/schemas.ts";
import * as schemas from "./schemas.ts";

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
  params: schemas.groupPath,
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
    query: schemas.groupListQuery,
    responses: { 200: schemas.groupList },
    errors: ["scim-invalid-filter"],
  },
  "scim-search-groups": {
    ...groups,
    method: "POST",
    audit: unaudited.reading,
    path: "/scim/v2/Groups/.search",
    summary: "List groups by a request body",
    description: "Same as `scim-list-groups`, for filters that do not belong into an address.",
    body: schemas.groupSearchRequest,
    bodyFormat: "scim",
    responses: { 200: schemas.groupList },
    errors: ["scim-invalid-filter"],
  },
  "scim-post-group": {
    ...groups,
    ...withBody,
    body: schemas.groupBody,
    method: "POST",
    audit: "provisioning.group-changed",
    summary: "Create a group",
    description: managed,
    responses: { 201: schemas.groupView },
    responseHeaders: { Location: "Address of the group" },
    errors: ["scim-invalid-value", "scim-too-many-groups", "scim-not-found"],
  },
  "scim-get-group": {
    ...oneGroup,
    method: "GET",
    summary: "Get a group",
    query: schemas.groupQuery,
    responses: { 200: schemas.groupView },
  },
  "scim-put-group": {
    ...oneGroup,
    ...withBody,
    body: schemas.groupBody,
    method: "PUT",
    audit: "provisioning.group-changed",
    summary: "Replace the name and the members of a group",
    description: managed,
    responses: { 200: schemas.groupView },
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
    responses: { 200: schemas.groupView },
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
