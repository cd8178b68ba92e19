import * as z from "zod";

/** Bits of a permission mask, under the names of the interface (spec heading Roles and permission bits). */
export const permissionBits = {
  CreateConversation: 1,
  DeleteConversation: 2,
  AddTeamMember: 4,
  RemoveTeamMember: 8,
  AddRemoveConvMember: 16,
  ModifyConvName: 32,
  GetBilling: 64,
  SetBilling: 128,
  SetTeamData: 256,
  GetMemberPermissions: 512,
  GetTeamConversations: 1024,
  DeleteTeam: 2048,
  SetMemberPermissions: 4096,
} as const;
export type Permission = keyof typeof permissionBits;

const allBits = Object.values(permissionBits).reduce((mask, bit) => mask | bit, 0);

/** What a member may do (`self`) and may hand on to others (`copy`), as bit masks; `copy` is part of `self`. */
export const permissionSet = z
  .object({
    self: z.int().min(0).max(allBits).meta({ description: "Bit mask of what the member may do" }),
    copy: z.int().min(0).max(allBits).meta({ description: "Bit mask of what the member may hand on" }),
  })
  .refine(({ self, copy }) => isWithin(copy, self), { path: ["copy"], message: "not part of self" })
  .meta({ id: "Permissions" });
export type PermissionSet = z.infer<typeof permissionSet>;

export const role = z.enum(["owner", "admin", "member", "partner"]).meta({ id: "Role" });
export type Role = z.infer<typeof role>;

const roleMasks: Readonly<Record<Role, number>> = { owner: 8191, admin: 5951, member: 1587, partner: 1025 };

/** The permissions that a role gives. */
export const permissionsOf = (ofRole: Role): PermissionSet => ({
  self: roleMasks[ofRole],
  copy: roleMasks[ofRole],
});

/** Whether all bits of a mask are in another. */
export const isWithin = (mask: number, other: number) => (mask & other) === mask;

/** The highest role that a permission set contains; undefined for odd sets, which give no right that depends on a role. */
export const roleOf = ({ self, copy }: PermissionSet): Role | undefined =>
  role.options.find((one) => isWithin(roleMasks[one], self & copy));

export const hasPermission = ({ self }: PermissionSet, permission: Permission) =>
  isWithin(permissionBits[permission], self);

/** Whether a role has the rights of another one, which the roles above it share. */
export const isAtLeast = (permissions: PermissionSet, least: Role): boolean => {
  const own = roleOf(permissions);
  return own !== undefined && role.options.indexOf(own) <= role.options.indexOf(least);
};
