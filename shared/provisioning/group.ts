import * as z from "zod";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";

/** A group of users of a team, which its directory has created (RFC 7643 §4.2). */
export const group = storedItem(
  { table: "provisioning", kind: "group", key: ["team#*", "group#*"], subject: { team: "partition" } },
  storedObject({
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
  }),
);
export type Group = Stored<typeof group>;
