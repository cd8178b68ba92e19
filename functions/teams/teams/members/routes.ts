import * as z from "zod";
import { password } from "#shared/accounts/account-types.ts";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { hasMore, nextCursor, userId, utcTime, uuid } from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import { legalHoldStatus } from "#shared/teams/member.ts";
import { newPermissionSet, permissionSet } from "#shared/teams/permissions.ts";
import { teamPath } from "../schemas.ts";
import { memberCursor } from "./member-cursor.ts";

const memberPath = teamPath.extend({ uid: userId });

const userPath = z.object({ uid: userId });

const maxPageSize = 2000;

const maxResults = z.coerce
  .number()
  .int()
  .min(1)
  .max(maxPageSize)
  .default(maxPageSize)
  .meta({ description: "Maximum number of members in the answer" });

const sizeQuery = z.object({ maxResults });

const pageQuery = sizeQuery.extend({
  pagingState: memberCursor
    .optional()
    .meta({ description: "`pagingState` of the previous page; absent for the first page" }),
});

export const member = z
  .object({
    user: uuid,
    permissions: permissionSet.optional().meta({ description: "Only if you may see it" }),
    created_by: uuid.nullable().meta({ description: "Who invited the member" }),
    created_at: utcTime.nullable().meta({ description: "When the member was invited" }),
    legalhold_status: legalHoldStatus,
  })
  .meta({ id: "TeamMember" });

const memberList = z.object({ members: z.array(member), hasMore }).meta({ id: "TeamMemberList" });

const memberPage = memberList.extend({ pagingState: nextCursor }).meta({ id: "TeamMembersPage" });

const userIdList = z.object({ user_ids: z.array(uuid) }).meta({
  id: "UserIdList",
  examples: [{ user_ids: ["8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60"] }],
});

const permissionExample = {
  user: "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60",
  permissions: { self: 5951, copy: 5951 },
};

const changedMember = z.object({
  user: uuid,
  permissions: newPermissionSet,
  created_by: uuid.nullish().meta({ description: "Ignored" }),
  created_at: z.string().nullish().meta({ description: "Ignored" }),
});

const memberUpdate = z
  .object({ member: changedMember })
  .meta({ id: "NewTeamMember", examples: [{ member: permissionExample }] });

export const newMember = z
  .object({
    member: changedMember
      .extend({
        created_by: uuid.nullish().meta({ description: "Who invited the member" }),
        created_at: z.iso
          .datetime({ offset: true })
          .nullish()
          .meta({ description: "When the member was invited" }),
      })
      .refine(({ created_by, created_at }) => Boolean(created_by) === Boolean(created_at), {
        path: ["created_at"],
        message: "goes with created_by",
      }),
  })
  .meta({ id: "JoiningTeamMember", examples: [{ member: permissionExample }] });

const removal = z
  .object({ password: password.optional() })
  .meta({ id: "PasswordConfirmation", examples: [{ password: "correct horse battery" }] })
  .optional();

export const idsRequest = z.object({ ids: z.array(uuid) }).meta({
  id: "TeamMemberIds",
  examples: [{ ids: ["8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60"] }],
});

export const memberInfoList = z
  .object({
    members: z.array(
      z.object({
        userId: uuid,
        permissions: permissionSet,
        permissionsWriteTime: z
          .int()
          .meta({ description: "When the member got the permissions, in unix milliseconds" }),
      }),
    ),
  })
  .meta({ id: "TeamMemberInfoList" });

const members = z.array(member);

const exportHeaders = z.object({
  "Accept-Encoding": z.string().optional().meta({ setBy: "HTTP clients" }),
});

const removalErrors = [
  "not-a-team-member",
  "operation-denied",
  "access-denied",
  "login-budget-exhausted",
  "team-member-not-found",
  "no-team",
  "too-many-requests",
] as const;

/** Room for more than 2000 ids, so that too many ids are reported as such, not as too large a body. */
const idsLimit = 256 * 1024;

const infos = {
  path: "/i/teams/{tid}/members/by-ids",
  auth: "internal",
  summary: "Get the permissions of members by their ids",
  description: "In any order; users who are not in the team are left out.",
  params: teamPath,
  body: idsRequest,
  bodyLimit: idsLimit,
  responses: { 200: memberInfoList },
  errors: [],
} as const satisfies Partial<Route>;

export const routes = defineRoutes({
  "get-team-members": {
    method: "GET",
    path: "/teams/{tid}/members",
    auth: "user",
    summary: "List the members of your team",
    description:
      "In the order of their ids. For the next page, send `pagingState` while `hasMore` is true. Partners " +
      "see only themselves and who invited them.",
    params: teamPath,
    query: pageQuery,
    responses: { 200: memberPage },
    errors: ["not-a-team-member"],
    olderForms: { "get-team-members-singular": { path: "/team/{tid}/members" } },
  },
  "get-team-members-by-ids": {
    costs: uncharged.nothing,
    method: "POST",
    audit: unaudited.reading,
    path: "/teams/{tid}/get-members-by-ids-using-post",
    auth: "user",
    summary: "Get members of your team by their ids",
    description: "In any order; users who are not in the team are left out.",
    params: teamPath,
    query: sizeQuery,
    body: userIdList,
    bodyLimit: idsLimit,
    responses: { 200: memberList },
    errors: ["too-many-uids", "not-a-team-member"],
  },
  "get-team-member": {
    method: "GET",
    path: "/teams/{tid}/members/{uid}",
    auth: "user",
    summary: "Get a member of your team",
    params: memberPath,
    responses: { 200: member },
    errors: ["not-a-team-member", "team-member-not-found"],
  },
  "update-team-member": {
    method: "PUT",
    audit: "team.member-changed",
    path: "/teams/{tid}/members",
    auth: "user",
    summary: "Change the permissions of a member of your team",
    description:
      "You can grant only permissions that you may pass on. Only another owner can take away the rights of " +
      "an owner.",
    params: teamPath,
    body: memberUpdate,
    bodyFormat: "json-int64",
    responses: { 200: null },
    errors: [
      "not-a-team-member",
      "operation-denied",
      "invalid-permissions",
      "access-denied",
      "too-many-team-admins",
      "team-member-not-found",
      "no-team",
    ],
  },
  "delete-team-member": {
    method: "DELETE",
    audit: "team.member-removed",
    path: "/teams/{tid}/members/{uid}",
    since: 4,
    auth: "user",
    summary: "Remove a member from your team",
    description:
      "Deletes the member's account. Needs your password if you have one. Only other owners can remove an " +
      "owner.",
    params: memberPath,
    body: removal,
    responses: { 202: null },
    errors: removalErrors,
    olderForms: { "delete-team-member-v0": { until: 3, errors: ["invalid-payload", ...removalErrors] } },
  },
  "add-team-member-v0": {
    method: "POST",
    audit: "team.member-added",
    path: "/teams/{tid}/members",
    until: 3,
    auth: "user",
    summary: "Always refused: members join by invitation",
    params: teamPath,
    body: memberUpdate,
    bodyFormat: "json-int64",
    responses: { 200: null },
    errors: ["not-a-team-member", "operation-denied", "invalid-permissions", "binding-team"],
  },
  "get-team-members-csv": {
    method: "GET",
    audit: { reads: "team.members-exported" },
    path: "/teams/{tid}/members/csv",
    auth: "user",
    summary: "Export the members of your team as CSV",
    description:
      "For admins and owners. A field that a spreadsheet would take for a formula starts with an " +
      "apostrophe. Accept `gzip`: otherwise the members of a large team may not fit into an answer.",
    params: teamPath,
    headers: exportHeaders,
    responses: { 200: { contentType: "text/csv" } },
    responseHeaders: { "Content-Disposition": "Suggests a file name" },
    errors: ["access-denied", "export-too-large"],
  },

  "i-add-team-member": {
    method: "POST",
    audit: "team.member-added",
    path: "/i/teams/{tid}/members",
    auth: "internal",
    summary: "Add the user of an existing account to a team",
    description: "Also 200 when the user is already a member with these permissions.",
    params: teamPath,
    body: newMember,
    bodyFormat: "json-int64",
    responses: { 200: null },
    errors: [
      "user-already-in-a-team",
      "too-many-team-members",
      "too-many-members-for-legalhold",
      "too-many-team-admins",
      "no-team",
      "not-found",
    ],
  },
  "i-update-team-member": {
    method: "PUT",
    audit: "team.member-changed",
    path: "/i/teams/{tid}/members",
    auth: "internal",
    summary: "Change the permissions of a member",
    description: "Any permissions may be given, but the last owner stays an owner.",
    params: teamPath,
    body: memberUpdate,
    bodyFormat: "json-int64",
    responses: { 200: null },
    errors: ["access-denied", "too-many-team-admins", "no-team", "team-member-not-found"],
  },
  "i-get-team-members": {
    method: "GET",
    path: "/i/teams/{tid}/members",
    auth: "internal",
    summary: "List members of a team",
    description: "In the order of their ids.",
    params: teamPath,
    query: pageQuery,
    responses: { 200: memberPage },
    errors: [],
  },
  "i-get-team-member": {
    method: "GET",
    path: "/i/teams/{tid}/members/{uid}",
    auth: "internal",
    summary: "Get a member of a team",
    params: memberPath,
    responses: { 200: member },
    errors: ["team-member-not-found"],
  },
  "i-get-team-members-by-ids": { ...infos, method: "GET" },
  "i-get-team-members-by-ids-using-post": { ...infos, method: "POST", audit: unaudited.reading },
  "i-find-team-members": {
    method: "POST",
    audit: unaudited.reading,
    path: "/i/teams/{tid}/members/get-by-ids",
    auth: "internal",
    summary: "Get members of a team by their ids",
    description: "In any order; users who are not in the team are left out.",
    params: teamPath,
    body: userIdList,
    bodyLimit: idsLimit,
    responses: { 200: members },
    errors: [],
  },
  "i-check-team-room": {
    method: "GET",
    path: "/i/teams/{tid}/members/check",
    auth: "internal",
    summary: "Check that one more user may join a team",
    params: teamPath,
    responses: { 200: null },
    errors: ["too-many-team-members", "too-many-members-for-legalhold", "no-team"],
  },
  "i-get-team-admins": {
    method: "GET",
    path: "/i/teams/{tid}/members/admins",
    auth: "internal",
    summary: "List the admins and owners of a team",
    description: "All of them, in any order.",
    params: teamPath,
    responses: { 200: memberList },
    errors: [],
  },
  "i-check-team-owner": {
    method: "GET",
    path: "/i/teams/{tid}/is-team-owner/{uid}",
    auth: "internal",
    summary: "Check that a user is an owner of a team",
    params: memberPath,
    responses: { 200: null },
    errors: ["access-denied", "not-a-team-member"],
  },
  "i-get-user-team-members": {
    method: "GET",
    path: "/i/users/{uid}/team/members",
    auth: "internal",
    summary: "List members of a user's team",
    description: "In the order of their ids, from the first; the user is included.",
    params: userPath,
    query: sizeQuery,
    responses: { 200: memberList },
    errors: ["no-team"],
  },
});
