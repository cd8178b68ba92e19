import { createHash, randomBytes } from "node:crypto";
import * as z from "zod";
import { storedItem, storedObject } from "#shared/platform/data/stored-item.ts";

/** A SCIM token in the list of its team. The token itself is never stored. */
export const scimToken = storedObject({
  id: z.uuid(),
  /** See `hashOfScimToken`. */
  hash: z.string(),
  name: z.string(),
  description: z.string(),
  /** Unix milliseconds. */
  createdAt: z.int(),
  /** Identity provider of the users that the token provisions, if any. */
  idpId: z.uuid().optional(),
  /** The owner who has created it; absent for tokens created before this was recorded. */
  createdBy: z.uuid().optional(),
});
export type ScimToken = z.infer<typeof scimToken>;

/** The directory and team that a token stands for. */
export const provisioner = storedItem(
  {
    table: "provisioning",
    kind: "scim-token",
    key: ["token#*", "token"],
    subject: { team: ["teamId"], secrets: ["owner"], mentions: "its creator" },
  },
  storedObject({
    teamId: z.uuid(),
    tokenId: z.uuid(),
    idpId: z.uuid().optional(),
    createdBy: z.uuid().optional(),
  }),
);

/** Creates the text of a token: 32 random bytes in base64. */
export const newScimTokenText = (): string => randomBytes(32).toString("base64");

/** The stored hash of a token. Tokens are random enough that a fast hash is safe. */
export const hashOfScimToken = (text: string): string =>
  `sha512:${createHash("sha512").update(text).digest("base64")}`;
