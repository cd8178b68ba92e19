import type * as z from "zod";
import { isImplicit, legalHoldStatusOf } from "#shared/accounts/legal-hold-status.ts";
import type { Member } from "#shared/teams/member.ts";
import { hasPermission } from "#shared/teams/permissions.ts";
import type { Deps } from "../deps.ts";
import type * as schemas from "./routes.ts";

/** A member as another one sees it: permissions are visible to the member, and to those who may see everybody's. */
export const toMemberView = (member: Member, viewer: Member): z.input<typeof schemas.member> => ({
  ...toFullView(member),
  ...(member.userId !== viewer.userId &&
    !hasPermission(viewer.permissions, "GetMemberPermissions") && { permissions: undefined }),
});

/** A member as internal callers see it. */
export const toFullView = ({
  userId,
  permissions,
  invitedBy,
  invitedAt,
  legalHoldStatus,
}: Member): z.input<typeof schemas.member> => ({
  user: userId,
  permissions,
  created_by: invitedBy ?? null,
  created_at: invitedAt === undefined ? null : new Date(invitedAt).toISOString(),
  legalhold_status: legalHoldStatus,
});

/** Members of a team with their visible legal hold statuses. Reads only where consent can be implicit. */
export async function withShownStatus(
  { features, settings }: Deps,
  teamId: string,
  members: readonly Member[],
): Promise<readonly Member[]> {
  if (!isImplicit(settings) || members.length === 0) return members;
  const team = await features.get(teamId);
  return members.map((member) => ({ ...member, legalHoldStatus: legalHoldStatusOf(member, team, settings) }));
}
