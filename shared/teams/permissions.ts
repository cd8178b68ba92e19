import * as z from "zod";
import { storedObject } from "#shared/platform/data/stored-item.ts";
import { toBigInt, uint64 } from "#shared/platform/int64.ts";

/** Bits of a permission mask, under the names of the interface. */
const permissionBits = {
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

const mask = z.int().min(0).max(allBits);
const masks = (of: z.ZodType<number>) => ({
  self: of.meta({ description: "Bit mask of what the member may do" }),
  copy: of.meta({ description: "Bit mask of what the member may pass on" }),
});
const copyIsWithinSelf = { path: ["copy"], message: "not part of self" };

/** Rights that a member has (`self`) and may give to others (`copy`), as bit masks; `copy` is part of `self`. */
export const permissionSet = z
  .object(masks(mask))
  .refine(({ self, copy }) => isWithin(copy, self), copyIsWithinSelf)
  .meta({ id: "Permissions" });
/** A permission set within a stored item. */
export const storedPermissionSet = storedObject(masks(mask)).refine(
  ({ self, copy }) => isWithin(copy, self),
  copyIsWithinSelf,
);
export type PermissionSet = z.infer<typeof permissionSet>;

/**
 * A permission set as callers send it: unsigned 64-bit integers, of which only the known bits count. Routes that take it
 * have the body format `json-int64`, because a number would lose the low bits of a large mask.
 */
export const newPermissionSet = z
  .object(masks(z.preprocess(knownBits, mask)))
  .refine(({ self, copy }) => isWithin(copy, self), copyIsWithinSelf)
  .meta({ id: "PermissionsChange", description: "Unknown bits are ignored" });

function knownBits(value: unknown): unknown {
  const { success, data } = uint64().safeParse(value);
  return success ? Number(toBigInt(data) & BigInt(allBits)) : value;
}

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

/**
 * The highest role that a permission set contains; undefined if it contains none, so that the member has no right that
 * depends on a role.
 */
export const roleOf = ({ self, copy }: PermissionSet): Role | undefined =>
  role.options.find((one) => isWithin(roleMasks[one], self & copy));

export const hasPermission = ({ self }: PermissionSet, permission: Permission) =>
  isWithin(permissionBits[permission], self);

/** Whether a role has at least the rights of another one. */
export const isAtLeast = (permissions: PermissionSet, least: Role): boolean => {
  const own = roleOf(permissions);
  return own !== undefined && role.options.indexOf(own) <= role.options.indexOf(least);
};
