import * as z from "zod";

/** The service of a team that makes the devices of legal hold, as it is stored. */
export const legalHoldService = z.object({
  teamId: z.uuid(),
  /** With https; calls put their paths behind its path. */
  baseUrl: z.string(),
  /** PEM, as an admin has sent it. */
  publicKey: z.string(),
  /** Of the public key, which the service proves in every call; see `rsaFingerprint`. */
  fingerprint: z.string(),
  /** What the service knows this backend by. */
  authToken: z.string(),
});
export type LegalHoldService = z.infer<typeof legalHoldService>;
