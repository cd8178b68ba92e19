import * as z from "zod";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { isAtLeast, storedPermissionSet } from "./permissions.ts";

export const legalHoldStatus = z
  .enum(["no_consent", "disabled", "pending", "enabled"])
  .meta({ id: "UserLegalHoldStatus" });

/** A member of a team as it is stored. */
export const memberItem = storedItem(
  {
    table: "teams",
    kind: "member",
    key: ["team#*", "member#*"],
    subject: {
      user: ["userId"],
      toTeam: ["teamId", "userId", "permissions", "invitedBy", "invitedAt", "legalHoldStatus"],
      mentions: "who has invited",
    },
  },
  storedObject({
    teamId: z.uuid(),
    userId: z.uuid(),
    permissions: storedPermissionSet,
    /** The inviter, and the time of the invitation in unix milliseconds; both or neither. */
    invitedBy: z.uuid().optional(),
    invitedAt: z.int().optional(),
    legalHoldStatus,
    /** When the member got these permissions, in unix milliseconds; `TeamStore` sets it. */
    permissionsChangedAt: z.int().optional(),
  }),
);
export type Member = Stored<typeof memberItem>;

/** Whether a member counts as an owner; no team is without one. */
export const hasOwnerRights = ({ permissions }: Pick<Member, "permissions">) =>
  isAtLeast(permissions, "owner");

/** Whether a member is an admin or owner, who get the events of the team. */
export const isTeamAdmin = ({ permissions }: Pick<Member, "permissions">) => isAtLeast(permissions, "admin");
