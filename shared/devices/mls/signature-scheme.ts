import * as z from "zod";

/** Signature schemes of MLS, as the interface names them. */
export const signatureScheme = z.enum([
  "ed25519",
  "ecdsa_secp256r1_sha256",
  "ecdsa_secp384r1_sha384",
  "ecdsa_secp521r1_sha512",
]);
export type SignatureScheme = z.infer<typeof signatureScheme>;
