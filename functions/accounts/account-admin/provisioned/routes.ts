import { selfProfile } from "#shared/accounts/profiles/self-profile.ts";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { uuid } from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { userPath } from "../schemas.ts";
import * as schemas from "./schemas.ts";

const ofUser = { auth: "internal", params: userPath } as const satisfies Partial<Route>;
const change = {
  ...ofUser,
  responses: { 200: null },
  errors: ["not-found"],
} as const satisfies Partial<Route>;

export const routes = defineRoutes({
  "i-create-sso-user": {
    method: "POST",
    audit: "account.registered",
    path: "/i/users/sso",
    auth: "internal",
    summary: "Create an account for somebody whom an identity provider or a directory knows",
    description: "The user is an active member of the team immediately.",
    body: schemas.newUser,
    bodyLimit: 256 * 1024,
    responses: { 201: selfProfile },
    responseHeaders: { Location: "Id of the user" },
    errors: [
      "invalid-handle",
      "rich-info-too-large",
      "handle-exists",
      "key-exists",
      "no-team",
      "too-many-team-members",
      "too-many-members-for-legalhold",
    ],
  },
  "i-put-sso-id": {
    ...change,
    method: "PUT",
    audit: "account.administered",
    path: "/i/users/{uid}/sso-id",
    summary: "Change the identity of a user at an identity provider or in a directory",
    description: "With `scim_external_id`, the user no longer logs in through an identity provider.",
    body: schemas.ssoIdUpdate,
    errors: ["not-found", "key-exists"],
  },
  "i-delete-sso-id": {
    ...change,
    method: "DELETE",
    audit: "account.administered",
    path: "/i/users/{uid}/sso-id",
    summary: "Remove the identity of a user at an identity provider or in a directory",
  },
  "i-put-managed-by": {
    ...change,
    method: "PUT",
    audit: "account.administered",
    path: "/i/users/{uid}/managed-by",
    summary: "Set whether a directory manages a user",
    body: schemas.managedByUpdate,
  },
  "i-put-name": {
    ...change,
    method: "PUT",
    audit: "account.profile-changed",
    path: "/i/users/{uid}/name",
    summary: "Change the name of a user on behalf of a directory",
    body: schemas.nameUpdate,
  },
  "i-put-handle": {
    ...change,
    method: "PUT",
    audit: "account.handle-changed",
    path: "/i/users/{uid}/handle",
    summary: "Change the handle of a user on behalf of a directory",
    body: schemas.handleUpdate,
    errors: ["not-found", "invalid-handle", "handle-exists"],
  },
  "i-put-locale": {
    ...change,
    method: "PUT",
    audit: "account.profile-changed",
    path: "/i/users/{uid}/locale",
    summary: "Change the locale of a user on behalf of a directory",
    body: schemas.localeUpdate,
  },
  "i-delete-locale": {
    ...change,
    method: "DELETE",
    audit: "account.profile-changed",
    path: "/i/users/{uid}/locale",
    summary: "Reset the locale of a user to the default",
  },
  "i-get-default-locale": {
    method: "GET",
    audit: unaudited.impersonal,
    path: "/i/users/locale",
    auth: "internal",
    summary: "Get the locale of users who have not chosen one",
    responses: { 200: schemas.localeView },
    errors: [],
  },
  "i-check-handle": {
    method: "HEAD",
    path: "/i/users/handles/{handle}",
    auth: "internal",
    summary: "Check whether a handle is taken",
    description: "200 if it is taken, 404 if it is free.",
    params: schemas.handlePath,
    responses: { 200: null },
    errors: ["invalid-handle", "not-found"],
  },
  "i-get-rich-info": {
    ...ofUser,
    method: "GET",
    path: "/i/users/{uid}/rich-info",
    summary: "Get the rich info of a user in SCIM form",
    responses: { 200: schemas.scimRichInfo },
    errors: ["not-found"],
  },
  "i-get-rich-infos": {
    method: "GET",
    path: "/i/users/rich-info",
    auth: "internal",
    summary: "Get the rich info of users in SCIM form",
    description: "Pairs of an id and the rich info, in any order; unknown users are left out.",
    query: schemas.richInfoQuery,
    responses: { 200: schemas.richInfoPairs },
    errors: [],
  },
  "i-check-admin": {
    ...ofUser,
    method: "GET",
    path: "/i/users/{uid}/check-admin-get-team-id",
    summary: "Get the team that a user administers",
    responses: { 200: uuid },
    errors: ["insufficient-permissions"],
  },
});
