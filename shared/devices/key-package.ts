import * as z from "zod";

/** A key package as it is stored, and handed out once (RFC 9420 §10). */
export const keyPackageItem = z.object({
  /** Its `KeyPackageRef` (RFC 9420 §5.2) in base64url. */
  reference: z.string(),
  bytes: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  /** Unix seconds at which it expires. */
  purgeAtSeconds: z.int(),
});
export type KeyPackageItem = z.infer<typeof keyPackageItem>;
