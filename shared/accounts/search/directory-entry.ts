import * as z from "zod";
import type { Listing } from "#shared/accounts/index-update.ts";
import { samlIdentity } from "#shared/accounts/provisioned-identity.ts";
import { role } from "#shared/teams/permissions.ts";
import { toWords } from "./words.ts";

/** A member in the directory of a team. */
export const directoryEntry = z.object({
  userId: z.uuid(),
  name: z.string(),
  accentId: z.int(),
  handle: z.string().optional(),
  email: z.string().optional(),
  emailUnvalidated: z.string().optional(),
  /** Absent for permissions that contain no role. */
  role: role.optional(),
  isManagedByScim: z.boolean(),
  samlIdentity: samlIdentity.optional(),
  externalId: z.string().optional(),
  /** Unix milliseconds. */
  createdAt: z.int(),
  /** Normalised words of the name. */
  nameWords: z.array(z.string()),
});
export type DirectoryEntry = z.infer<typeof directoryEntry>;

/** Creates the entry of a member. */
export const toDirectoryEntry = (
  userId: string,
  {
    name,
    accentId,
    handle,
    email,
    emailUnvalidated,
    managedByScim,
    samlIdentity,
    externalId,
    createdAt,
  }: Listing,
  ofRole: DirectoryEntry["role"],
): DirectoryEntry => ({
  userId,
  name,
  accentId,
  handle,
  email,
  emailUnvalidated,
  role: ofRole,
  isManagedByScim: managedByScim,
  samlIdentity,
  externalId,
  createdAt,
  nameWords: toWords(name),
});
