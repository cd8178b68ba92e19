import * as z from "zod";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";

/** The uploader of an asset, who alone may delete it or change its token. */
const assetOwner = z.object({
  kind: z.enum(["user", "bot", "provider"]),
  id: z.uuid(),
});
export type AssetOwner = z.infer<typeof assetOwner>;

/** The record of an uploaded file. */
export const assetItem = storedItem(
  {
    table: "assets",
    kind: "asset",
    key: ["*"],
    subject: {
      user: ["ownerId"],
      secrets: ["tokenHash"],
      remains: "files that others have read, who refer to them; other files for 28 days",
    },
  },
  storedObject({
    assetKey: z.string(),
    ownerKind: assetOwner.shape.kind,
    ownerId: assetOwner.shape.id,
    /** Hash of the token that others need; absent: the asset is public. */
    tokenHash: z.string().optional(),
    /** The team to which its storage is attributed; absent: none. */
    teamId: z.uuid().optional(),
    bytes: z.int(),
    /** Unix milliseconds. */
    createdAt: z.int(),
    /** Absent: kept until deleted. */
    expiresAtSeconds: z.int().optional(),
    /** `arriving`: some bytes are missing. `unsent`: only its owner has read it. Absent: others may refer to it. */
    state: z.enum(["arriving", "unsent"]).optional(),
    /** S3's id of its upload, while it arrives in parts. */
    uploadId: z.string().optional(),
  }),
);
export type Asset = Stored<typeof assetItem>;

/** Whether an asset belongs to an owner. */
export const isOwner = ({ ownerKind, ownerId }: Asset, { kind, id }: AssetOwner): boolean =>
  ownerKind === kind && ownerId === id;

/**
 * Milliseconds after which nobody can learn of a file any more that only its owner has read: as long as logs keep the
 * message that may name it.
 */
const unsentMilliseconds = 28 * 86_400_000;

/**
 * When a file of a deleted account is to be removed, in unix milliseconds: while others may read it for the first time,
 * it stays.
 * @returns undefined if others have read it
 */
export function removalOf({ state, createdAt }: Pick<Asset, "state" | "createdAt">): number | undefined {
  if (state === undefined) return undefined;
  return state === "arriving" ? createdAt : createdAt + unsentMilliseconds;
}

/** Length of the parts of a large file, except for the last: the least that S3 takes. */
export const partBytes = 5 * 1024 * 1024;
