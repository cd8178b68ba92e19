import { createHash } from "node:crypto";
import { decode } from "cborg";
import * as z from "zod";

/** Id of the last-resort prekey, which is handed out when no other is left, and stays. */
export const lastPrekeyId = 65_535;

/** Real keys have about 120 characters. */
const longestKey = 1024;

/** A Proteus prekey: what somebody needs to write to a device that is not there. */
export const prekeyItem = z
  .object({ id: z.int().min(0).max(lastPrekeyId), key: z.string() })
  .meta({ id: "Prekey" });
export type Prekey = z.infer<typeof prekeyItem>;

/** A prekey that is uploaded: the key, in base64, is CBOR that names the same id. */
export const prekey = prekeyItem
  .extend({
    key: z
      .base64()
      .max(longestKey)
      .meta({
        description:
          "A serialised Proteus prekey bundle, in base64: a CBOR map with version (0), prekey id (1), public key (2) and " +
          "identity key (3). Its id is that of the field beside it.",
      }),
  })
  .refine(({ id, key }) => idWithin(key) === id, {
    path: ["key"],
    error: "not a prekey with this id",
  })
  .meta({ id: "UploadedPrekey" });

export const lastPrekey = prekey
  .refine(({ id }) => id === lastPrekeyId, {
    path: ["id"],
    error: `the last-resort prekey has the id ${lastPrekeyId}`,
  })
  .meta({ id: "UploadedLastPrekey" });

/** Id of the device that has this last-resort prekey: lower-case hex, always 16 digits. */
export const clientIdOf = ({ key }: Prekey): string =>
  createHash("sha256").update(key).digest("hex").slice(0, 16);

/** The id in a key: field 1 of the map in which Proteus serialises a prekey bundle. */
function idWithin(key: string): unknown {
  try {
    const bundle: unknown = decode(Buffer.from(key, "base64"), { useMaps: true });
    return bundle instanceof Map ? bundle.get(1) : undefined;
  } catch {
    return undefined;
  }
}
