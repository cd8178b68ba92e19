import * as z from "zod";
import { lastPrekey, prekey } from "#shared/data/device/prekey.ts";
import { toBadRequest } from "#shared/http/render.ts";
import type { UpdateClient } from "./schemas.ts";

const publicKey = (bytes: number) =>
  z
    .base64()
    .refine((text) => Buffer.from(text, "base64").length === bytes, `such a key has ${bytes} bytes`)
    .optional();

const keys = z.object({
  prekeys: z.array(prekey).default([]),
  lastkey: lastPrekey.optional(),
  /** Raw keys: RFC 8032 for EdDSA, uncompressed points for ECDSA (RFC 9420 §5.1.1). */
  mls_public_keys: z
    .strictObject({
      ed25519: publicKey(32),
      ecdsa_secp256r1_sha256: publicKey(65),
      ecdsa_secp384r1_sha384: publicKey(97),
      ecdsa_secp521r1_sha512: publicKey(133),
    })
    .default({}),
});

/**
 * The keys that a device uploads, looked at from within. By the order of the interface this comes after the checks of
 * who asks, so it is no part of the request's schema.
 *
 * @throws ApiError `bad-request`
 */
export function checkKeys(
  uploaded: Pick<UpdateClient, "prekeys" | "lastkey" | "mls_public_keys">,
): z.output<typeof keys> {
  const result = keys.safeParse(uploaded);
  if (!result.success) throw toBadRequest("body", result.error);
  return result.data;
}
