import { selfProfiles } from "#shared/accounts/profiles/self-profile.ts";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { uuid } from "#shared/platform/http/wire-types.ts";
import { routes as provisioned } from "./provisioned/routes.ts";
import * as schemas from "./schemas.ts";
import { routes as searchIndex } from "./search-index/routes.ts";

const blockList = {
  path: "/i/users/blacklist",
  auth: "internal",
  query: schemas.blockQuery,
  responses: { 200: null },
} as const satisfies Partial<Route>;

const suppression = {
  path: "/i/mail-suppressions",
  auth: "internal",
  query: schemas.suppressionQuery,
} as const satisfies Partial<Route>;

const status = { path: "/i/users/{uid}/status", auth: "internal", params: schemas.userPath } as const;

const accountRoutes = defineRoutes({
  "i-get-user-status": {
    ...status,
    method: "GET",
    summary: "Get the status of an account",
    responses: { 200: schemas.currentStatus },
    errors: ["not-found"],
  },
  "i-put-user-status": {
    ...status,
    method: "PUT",
    audit: "account.status-changed",
    summary: "Suspend or resume an account",
    description:
      "Suspending revokes all cookies and takes the user out of search; access tokens stay valid until " +
      "they expire.",
    body: schemas.newStatus,
    responses: { 200: null },
    errors: ["invalid-status", "not-found"],
  },
  "i-log-out-user": {
    method: "POST",
    audit: "session.revoked",
    path: "/i/users/{uid}/logout",
    auth: "internal",
    summary: "Log a user out everywhere",
    description:
      "Revokes all cookies, refuses logins under way, and closes all sockets; access tokens stay valid until they " +
      "expire. A legal hold device and the access of OAuth apps stay.",
    params: schemas.userPath,
    responses: { 200: null },
    errors: ["not-found"],
  },
  "i-get-user-activity": {
    method: "GET",
    path: "/i/users/{uid}/activity",
    auth: "internal",
    summary: "Get when a user last logged in and was active",
    description:
      "Neither is known of a user who has never logged in. Both stay when the user's sessions end, for as long as the " +
      "longest session lasts.",
    params: schemas.userPath,
    responses: { 200: schemas.activity },
    errors: ["not-found"],
  },
  "i-delete-user": {
    method: "DELETE",
    audit: "account.deleted",
    path: "/i/users/{uid}",
    auth: "internal",
    summary: "Delete an account",
    description: "202: what belongs to it is removed in the background. 200: it was already deleted.",
    params: schemas.userPath,
    responses: { 202: null, 200: null },
    errors: ["not-found", "no-self-delete-for-team-owner"],
  },
  "i-get-user-team": {
    method: "GET",
    path: "/i/users/{uid}/team",
    auth: "internal",
    summary: "Get the id of a user's team",
    params: schemas.userPath,
    responses: { 200: uuid },
    errors: ["no-team"],
  },
  "i-put-rich-info": {
    method: "PUT",
    audit: "account.profile-changed",
    path: "/i/users/{uid}/rich-info",
    auth: "internal",
    summary: "Replace the rich info of a user",
    description:
      "Drops fields with an empty value, and all but the first of those whose names differ only in " +
      "case. The rest may have 5000 characters.",
    params: schemas.userPath,
    body: schemas.newRichInfo,
    bodyLimit: 256 * 1024,
    responses: { 200: null },
    errors: ["not-found", "rich-info-too-large"],
  },
  "i-get-blacklist": {
    ...blockList,
    method: "GET",
    summary: "Check whether an email address, phone number or domain is blocked",
    description: "200 if it is blocked, 404 if not.",
    errors: ["invalid-email", "invalid-phone", "not-found"],
  },
  "i-post-blacklist": {
    ...blockList,
    method: "POST",
    audit: "address.blocked",
    summary: "Block an email address, a phone number or a domain",
    description: "Nobody can register with it or change to it from then on; an account that has it keeps it.",
    errors: ["invalid-email", "invalid-phone"],
  },
  "i-delete-blacklist": {
    ...blockList,
    method: "DELETE",
    audit: "address.unblocked",
    summary: "Unblock an email address, a phone number or a domain",
    errors: ["invalid-email", "invalid-phone"],
  },
});

const listRoutes = defineRoutes({
  "i-list-users": {
    method: "GET",
    path: "/i/users/list",
    auth: "internal",
    summary: "List the users, the newest first",
    description:
      "Without bots and deleted users; a user who was created a moment ago may be missing. A page may have fewer than " +
      "requested; the last has no `next`.",
    query: schemas.userList.query,
    responses: { 200: schemas.userPage },
    errors: [],
  },
  "i-find-provisioned-users": {
    method: "GET",
    path: "/i/users/by-identity",
    auth: "internal",
    summary: "Get the user whom an identity provider or a directory knows by a name",
    description:
      "Name `issuer` and `name_id`, or `external_id` and `team`. Returns one account at most, of any status. An identity " +
      "provider that a team has for itself is found with `team` only.",
    query: schemas.identityQuery,
    responses: { 200: selfProfiles },
    errors: [],
  },
  "i-list-blocked-addresses": {
    method: "GET",
    path: "/i/blocked-addresses",
    auth: "internal",
    summary: "List the blocked email addresses and phone numbers",
    description:
      "Addresses before numbers, in alphabetical order, in the form that stands for all their spellings. A page may have " +
      "fewer than requested; the last has no `next`.",
    query: schemas.blockedQuery,
    responses: { 200: schemas.blockedPage },
    errors: [],
  },
  "i-list-mail-suppressions": {
    method: "GET",
    path: "/i/mail-suppressions/list",
    auth: "internal",
    summary: "List the email addresses that get no mail, the last reported first",
    description:
      "An address that was reported a moment ago may be missing. A page may have fewer than requested; the last has no " +
      "`next`.",
    query: schemas.suppressionList.query,
    responses: { 200: schemas.suppressionPage },
    errors: [],
  },
  "i-get-mail-suppression": {
    ...suppression,
    method: "GET",
    summary: "Get why an email address gets no mail",
    description: "404 for an address that gets mail.",
    responses: { 200: schemas.suppression },
    errors: ["invalid-email", "not-found"],
  },
  "i-delete-mail-suppression": {
    ...suppression,
    method: "DELETE",
    audit: "address.suppression-lifted",
    summary: "Let an email address get mail again",
    description: "The mail service may keep a list of its own, from which the address must be removed, too.",
    responses: { 200: null },
    errors: ["invalid-email"],
  },
});

export const routes = { ...accountRoutes, ...listRoutes, ...provisioned, ...searchIndex };
