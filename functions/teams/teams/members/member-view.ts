import type * as z from "zod";
import type { Member } from "#shared/teams/member.ts";
import { hasPermission } from "#shared/teams/permissions.ts";
import type * as schemas from "./schemas.ts";

/** A member as another one sees it: permissions are shown to their owner, and to those who may see everybody's. */
export function toMemberView(
  { userId, permissions, invitedBy, invitedAt, legalHoldStatus }: Member,
  viewer: Member,
): z.input<typeof schemas.member> {
  const showsPermissions =
    userId === viewer.userId || hasPermission(viewer.permissions, "GetMemberPermissions");
  return {
    user: userId,
    permissions: showsPermissions ? permissions : undefined,
    created_by: invitedBy ?? null,
    created_at: invitedAt === undefined ? null : new Date(invitedAt).toISOString(),
    legalhold_status: legalHoldStatus,
  };
}
