import * as z from "zod";
import type { SignatureScheme } from "#shared/devices/mls/cipher-suites.ts";
import { toPublicKey } from "#shared/devices/mls/signature-key.ts";
import { lastPrekey, prekey } from "#shared/devices/prekey.ts";
import { toBadRequest } from "#shared/platform/http/render.ts";
import type { UpdateDevice } from "./schemas.ts";

const publicKey = (scheme: SignatureScheme) =>
  z
    .base64()
    .refine((text) => toPublicKey(scheme, Buffer.from(text, "base64")) !== undefined, "no key of this scheme")
    .optional();

const keys = z.object({
  prekeys: z.array(prekey).default([]),
  lastkey: lastPrekey.optional(),
  mls_public_keys: z
    .strictObject({
      ed25519: publicKey("ed25519"),
      ecdsa_secp256r1_sha256: publicKey("ecdsa_secp256r1_sha256"),
      ecdsa_secp384r1_sha384: publicKey("ecdsa_secp384r1_sha384"),
      ecdsa_secp521r1_sha512: publicKey("ecdsa_secp521r1_sha512"),
    })
    .default({}),
});

/**
 * Check the content of the keys that a device uploads. The interface checks the caller first, so this is not part of
 * the request's schema.
 *
 * @throws ApiError `bad-request`
 */
export function checkKeys(
  uploaded: Pick<UpdateDevice, "prekeys" | "lastkey" | "mls_public_keys">,
): z.output<typeof keys> {
  const result = keys.safeParse(uploaded);
  if (!result.success) throw toBadRequest("body", result.error);
  return result.data;
}
