import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { patchBody } from "../patch/schemas.ts";
import * as schemas from "./schemas.ts";

const scim = {
  auth: "scim",
  errorFormat: "scim",
  allowsTrailingSlash: true,
} as const satisfies Partial<Route>;

/** Errors of giving a user an address, a handle or a place in the team. */
const refusals = [
  "scim-invalid-value",
  "scim-uniqueness",
  "rich-info-too-large",
  "invalid-email",
  "key-exists",
  "blacklisted-email",
  "allowlist-rejected",
  "condition-failed",
  "domain-blocked-for-registration",
  "email-exists",
  "no-team",
  "too-many-team-members",
  "too-many-members-for-legalhold",
  "too-many-team-invitations",
  "too-many-requests",
] as const satisfies Route["errors"];

const creation = {
  ...scim,
  method: "POST",
  summary: "Create a user of the team",
  description:
    "With an identity provider, the user logs in through it under the external id. Without one, the user " +
    "confirms the address and then sets a password.",
  body: schemas.userBody,
  bodyFormat: "scim",
  responses: { 201: schemas.userView },
  errors: [...refusals, "scim-forbidden"],
} as const satisfies Partial<Route>;

const finding = {
  responses: { 200: schemas.userList },
  errors: ["scim-too-many", "scim-invalid-filter", "scim-uniqueness", "scim-forbidden", "concurrent-change"],
} as const satisfies Partial<Route>;

export const routes = defineRoutes({
  "scim-create-user": { ...creation, audit: "provisioning.user-created", path: "/scim/v2/Users" },
  "scim-create-user-with-id": {
    audit: "provisioning.user-created",
    ...creation,
    path: "/scim/v2/Users/{id}",
    description: "Same as `scim-create-user`: the service chooses the id.",
    params: schemas.userPath,
  },
  "scim-find-users": {
    audit: "provisioning.user-changed",
    ...scim,
    ...finding,
    method: "GET",
    path: "/scim/v2/Users",
    summary: "Find a user of the team by user name or external id",
    description:
      "The case of a user name does not matter. An unknown external id is also looked up as the email address of a member, and as " +
      "the name at the identity provider; an unknown user name that is an address, as that of a member whom no " +
      "directory manages yet. A member whom no directory manages yet is adopted: from then on, the directory " +
      "manages the profile. Without a filter, an operator can have the users of the directory listed in pages, " +
      "which adopts nobody; otherwise that is refused.",
    refusesHead: true,
    query: schemas.userSearch,
  },
  "scim-search-users": {
    audit: "provisioning.user-changed",
    ...scim,
    ...finding,
    method: "POST",
    path: "/scim/v2/Users/.search",
    summary: "Find a user of the team by a request body",
    description: "Same as `scim-find-users`, for names that do not belong into an address.",
    body: schemas.userSearchRequest,
    bodyFormat: "scim",
  },
  "scim-get-user": {
    audit: "provisioning.user-changed",
    ...scim,
    method: "GET",
    path: "/scim/v2/Users/{id}",
    summary: "Get a user of the team",
    description: "A member whom no directory manages yet is adopted.",
    refusesHead: true,
    params: schemas.userPath,
    query: schemas.userQuery,
    responses: { 200: schemas.selectedUser },
    errors: ["scim-not-found", "scim-uniqueness", "scim-forbidden", "concurrent-change"],
  },
  "scim-replace-user": {
    ...scim,
    method: "PUT",
    audit: "provisioning.user-changed",
    path: "/scim/v2/Users/{id}",
    summary: "Replace a user of the team",
    description:
      "Without `roles` or `emails`, the user keeps role or address. A new address takes effect once the " +
      "user has confirmed it.",
    params: schemas.userPath,
    body: schemas.userBody,
    bodyFormat: "scim",
    responses: { 200: schemas.userView },
    errors: [...refusals, "scim-not-found", "scim-forbidden"],
  },
  "scim-patch-user": {
    ...scim,
    method: "PATCH",
    audit: "provisioning.user-changed",
    path: "/scim/v2/Users/{id}",
    summary: "Change some attributes of a user of the team",
    description:
      "What is not named stays as it is. Attributes of RFC 7643 that the service does not keep, and those of other " +
      "extensions, are ignored, as in a PUT; setting an unknown attribute is refused. The user keeps role and " +
      "address when they are removed.",
    params: schemas.userPath,
    body: patchBody,
    bodyFormat: "scim",
    responses: { 200: schemas.userView },
    errors: [
      ...refusals,
      "scim-not-found",
      "scim-forbidden",
      "scim-invalid-operation",
      "scim-invalid-path",
      "scim-invalid-filter",
      "scim-no-target",
      "scim-mutability",
    ],
  },
  "scim-delete-user": {
    ...scim,
    method: "DELETE",
    audit: "provisioning.user-deleted",
    path: "/scim/v2/Users/{id}",
    summary: "Delete a user of the team",
    description: "Also 204 when there is no such user.",
    params: schemas.userPath,
    responses: { 204: null },
    errors: ["scim-forbidden"],
  },
  "i-scim-get-user-info": {
    method: "POST",
    audit: unaudited.reading,
    path: "/i/scim/userinfo/{user}",
    auth: "internal",
    summary: "Get when a directory has created or adopted a user",
    params: schemas.userInfoPath,
    responses: { 200: schemas.userInfo },
    errors: ["not-found"],
  },
});
