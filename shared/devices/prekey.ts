import { createHash } from "node:crypto";
import { decode } from "cborg";
import * as z from "zod";
import { storedObject } from "#shared/platform/data/stored-item.ts";
import { canonicalDeviceId } from "#shared/platform/http/device-id.ts";

/** Id of the last-resort prekey, which is handed out when no other is left and never used up. */
export const lastPrekeyId = 65_535;

/** Maximum number of characters of a key in base64. Real keys have about 120. */
export const longestKey = 1024;

/** A Proteus prekey, which others need to write to a device that is offline. */
export const prekeyItem = z
  .object({
    id: z
      .int()
      .min(0)
      .max(lastPrekeyId)
      .meta({ description: `Unique on its device; ${lastPrekeyId} is the last-resort prekey` }),
    key: z.string().meta({
      description:
        "A serialised Proteus prekey bundle in base64. It is a CBOR map with integer keys: 0 is the version, 1; 1 is the number in `id`; 2 " +
        "is the prekey, a map whose 0 is the public key of 32 bytes; 3 is the identity key, a map whose 0 is a map of the same form; 4 is " +
        "null, or a signature.",
    }),
  })
  .meta({ id: "Prekey", description: "What somebody needs to write to a device that is offline" });
export const storedPrekey = storedObject(prekeyItem.shape);
export type Prekey = z.infer<typeof prekeyItem>;

/** For examples in the API document: well-formed, with keys that nobody has. */
export const examplePrekey: Prekey = {
  id: 1,
  key: "pQABAQECoQBYIKN3uGMJLUm0Tqi3e84cUcU18pfCOALs8u9H7jSj98pBA6EAoQBYIGifamJzhMfcstzBSH5UAiPne9+dzQ2L6KMm7aZbDOmkBPY=",
};
export const exampleLastPrekey: Prekey = {
  id: lastPrekeyId,
  key: "pQABARn//wKhAFggPHPPZ8zZpW7GZFJRGF7HvVSNYytSjxMDBMDi7V04d2sDoQChAFggaJ9qYnOEx9yy3MFIflQCI+d7353NDYvooybtplsM6aQE9g==",
};

/** A prekey in an upload: its key is CBOR in base64 that contains the same id. */
export const prekey = prekeyItem
  .extend({ key: z.base64().max(longestKey) })
  .refine(({ id, key }) => idWithin(key) === id, {
    path: ["key"],
    error: "not a prekey with this id",
  });

/** A last-resort prekey in an upload. */
export const lastPrekey = prekey.refine(({ id }) => id === lastPrekeyId, {
  path: ["id"],
  error: `the last-resort prekey has the id ${lastPrekeyId}`,
});

/** Derives a device's id from its last-resort prekey: 64 bits, in the canonical form. */
export const deviceIdOf = ({ key }: Prekey): string =>
  canonicalDeviceId(createHash("sha256").update(key).digest("hex").slice(0, 16));

/** The id in a key: field 1 of the map in which Proteus serialises a prekey bundle. */
function idWithin(key: string): unknown {
  try {
    const bundle: unknown = decode(Buffer.from(key, "base64"), { useMaps: true });
    return bundle instanceof Map ? bundle.get(1) : undefined;
  } catch {
    return undefined;
  }
}
