import { selfProfile } from "#shared/accounts/profiles/self-profile.ts";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { uuid } from "#shared/platform/http/wire-types.ts";
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
    path: "/i/users/{uid}/sso-id",
    summary: "Change what an identity provider or a directory calls a user",
    description: "With `scim_external_id`, the user no longer logs in by an identity provider.",
    body: schemas.ssoIdUpdate,
    errors: ["not-found", "key-exists"],
  },
  "i-delete-sso-id": {
    ...change,
    method: "DELETE",
    path: "/i/users/{uid}/sso-id",
    summary: "Forget what an identity provider or a directory calls a user",
  },
  "i-put-managed-by": {
    ...change,
    method: "PUT",
    path: "/i/users/{uid}/managed-by",
    summary: "Say whether a directory manages a user",
    body: schemas.managedByUpdate,
  },
  "i-put-name": {
    ...change,
    method: "PUT",
    path: "/i/users/{uid}/name",
    summary: "Change the name of a user, as a directory does",
    body: schemas.nameUpdate,
  },
  "i-put-handle": {
    ...change,
    method: "PUT",
    path: "/i/users/{uid}/handle",
    summary: "Change the handle of a user, as a directory does",
    body: schemas.handleUpdate,
    errors: ["not-found", "invalid-handle", "handle-exists"],
  },
  "i-put-locale": {
    ...change,
    method: "PUT",
    path: "/i/users/{uid}/locale",
    summary: "Change the locale of a user, as a directory does",
    body: schemas.localeUpdate,
  },
  "i-delete-locale": {
    ...change,
    method: "DELETE",
    path: "/i/users/{uid}/locale",
    summary: "Give a user the default locale",
  },
  "i-get-default-locale": {
    method: "GET",
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
    summary: "Check whether somebody has a handle",
    description: "200 if somebody has it, 404 if it is free.",
    params: schemas.handlePath,
    responses: { 200: null },
    errors: ["invalid-handle", "not-found"],
  },
  "i-get-rich-info": {
    ...ofUser,
    method: "GET",
    path: "/i/users/{uid}/rich-info",
    summary: "Get the rich info of a user as SCIM has it",
    responses: { 200: schemas.scimRichInfo },
    errors: ["not-found"],
  },
  "i-get-rich-infos": {
    method: "GET",
    path: "/i/users/rich-info",
    auth: "internal",
    summary: "Get the rich info of users as SCIM has it",
    description: "Pairs of an id and the rich info, in any order; unknown users are left out.",
    query: schemas.richInfoQuery,
    responses: { 200: schemas.richInfoPairs },
    errors: [],
  },
  "i-check-admin": {
    ...ofUser,
    method: "GET",
    path: "/i/users/{uid}/check-admin-get-team-id",
    summary: "Get the team of which a user is an admin or owner",
    responses: { 200: uuid },
    errors: ["insufficient-permissions"],
  },
});
