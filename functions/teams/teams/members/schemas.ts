import * as z from "zod";
import { password } from "#shared/accounts/account-types.ts";
import { hasMore, nextCursor, userId, utcTime, uuid } from "#shared/platform/http/wire-types.ts";
import { legalHoldStatus } from "#shared/teams/member.ts";
import { newPermissionSet, permissionSet } from "#shared/teams/permissions.ts";
import { teamPath } from "../schemas.ts";
import { memberCursor } from "./member-cursor.ts";

export const memberPath = teamPath.extend({ uid: userId });

export const userPath = z.object({ uid: userId });

const maxPageSize = 2000;

const maxResults = z.coerce
  .number()
  .int()
  .min(1)
  .max(maxPageSize)
  .default(maxPageSize)
  .meta({ description: "Maximum number of members in the answer" });

export const sizeQuery = z.object({ maxResults });

export const pageQuery = sizeQuery.extend({
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

export const memberList = z.object({ members: z.array(member), hasMore }).meta({ id: "TeamMemberList" });

export const memberPage = memberList.extend({ pagingState: nextCursor }).meta({ id: "TeamMembersPage" });

export const userIdList = z.object({ user_ids: z.array(uuid) }).meta({
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

export const memberUpdate = z
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

export const removal = z
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

export const members = z.array(member);

export const exportHeaders = z.object({
  "Accept-Encoding": z.string().optional().meta({ setBy: "HTTP clients" }),
});
