import * as z from "zod";
import { type Asset, partBytes } from "#shared/assets/asset.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { type Retention, retentions } from "#shared/registry/buckets.ts";

const assetKey = z.string().meta({ id: "AssetKey" });
/** A malformed key counts as an unknown one. */
const key = assetKey.meta({
  description: "Key of an asset: `3-<retention>-<uuid>`",
  examples: ["3-2-8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60"],
});
const token = z.string().meta({ description: "Token of an asset" });

export const keyPath = z.object({ key });
export const qualifiedKeyPath = z.object({ key_domain: wire.domain, key });
export const olderPath = z.object({ id: z.string() });

export const tokenQuery = z.object({ asset_token: token.meta({ goName: "AssetTokenInQuery" }).optional() });
export const tokenHeaders = z.object({ "Asset-Token": token.optional() });

const exampleUpload = [
  "--frontier",
  "Content-Type: application/json",
  "Content-Length: 41",
  "",
  '{"public":false,"retention":"persistent"}',
  "--frontier",
  "Content-Type: application/octet-stream",
  "Content-Length: 5",
  "",
  "hello",
  "--frontier--",
  "",
].join("\r\n");

/** The body while it arrives. */
const stream = z.custom<AsyncIterable<Uint8Array>>((value) => Symbol.asyncIterator in Object(value));

export const upload = stream.meta({
  id: "AssetSource",
  type: "string",
  format: "binary",
  description:
    "Two parts: options in JSON, `{public, retention}`, and the file. Each part has the headers " +
    "`Content-Type` and `Content-Length` and no others, except that the file may have `Content-MD5`, which " +
    "then has to be right. Retentions are `eternal`, `persistent` (the default), `volatile` (28 days), " +
    "`eternal-infrequent_access` and `expiring` (365 days).",
  examples: [exampleUpload],
});

export const asset = z
  .object({
    key,
    domain: wire.domain,
    token: token.optional(),
    expires: wire.utcTime.optional(),
  })
  .meta({ id: "Asset" });

const retentionNames = Object.keys(retentions);

export const announcedUpload = z
  .object({
    bytes: z.int().min(1).meta({ description: "Length of the file" }),
    public: z.boolean().default(false),
    // A pattern, because each enumeration is another type in generated clients.
    retention: z
      .string()
      .regex(new RegExp(`^(${retentionNames.join("|")})$`))
      .default("persistent")
      .transform((name) => name as Retention)
      .meta({ description: `One of ${retentionNames.map((name) => `\`${name}\``).join(", ")}` }),
  })
  .meta({ id: "AnnouncedAsset", examples: [{ bytes: 20_000_000, retention: "expiring" }] });

export const partAddresses = z.array(z.url()).meta({
  description: `Where to send the parts, in order: each has ${partBytes} bytes, and the last one the rest`,
});

export const newAssetToken = z.object({ token: token }).meta({ id: "NewAssetToken" });

export const assetRecord = z
  .object({
    key,
    owner: z.object({ kind: z.enum(["user", "bot", "provider"]), id: wire.uuid }).meta({ id: "AssetOwner" }),
    team: wire.uuid.optional().meta({ description: "The team for whose storage it counts" }),
    bytes: z.int(),
    created_at: wire.utcTime,
    expires: wire.utcTime.optional().meta({ description: "Absent: it is kept until somebody deletes it" }),
    public: z.boolean().meta({ description: "Whether every user can download it without a token" }),
  })
  .meta({ id: "AssetRecord" });

export function toAssetRecord(asset: Asset): z.infer<typeof assetRecord> {
  const { assetKey, ownerKind, ownerId, teamId, bytes, createdAt, expiresAtSeconds, tokenHash } = asset;
  return {
    key: assetKey,
    owner: { kind: ownerKind, id: ownerId },
    ...(teamId !== undefined && { team: teamId }),
    bytes,
    created_at: new Date(createdAt).toISOString(),
    ...(expiresAtSeconds !== undefined && { expires: new Date(expiresAtSeconds * 1000).toISOString() }),
    public: tokenHash === undefined,
  };
}

export const signedUrl = z.url().meta({ description: "Address from which the asset can be read" });
