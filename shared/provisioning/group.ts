import * as z from "zod";

/** A group of users of a team, which its directory has created (RFC 7643 §4.2). */
export const group = z.object({
  teamId: z.uuid(),
  groupId: z.uuid(),
  /** Increases with each change; a change names the revision that it is based on. */
  revision: z.int(),
  displayName: z.string(),
  /** Id of the group in the directory. */
  externalId: z.string().optional(),
  /** As set by the directory; users may have left since. */
  memberIds: z.array(z.uuid()),
  /** Unix milliseconds. */
  createdAt: z.int(),
  updatedAt: z.int(),
});
export type Group = z.infer<typeof group>;
