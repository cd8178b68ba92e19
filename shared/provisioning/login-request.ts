import * as z from "zod";

/** A login that a browser or an app has started, until the identity provider has answered. */
export const loginRequest = z.object({
  /** `ID` of the AuthnRequest. */
  id: z.string(),
  idpId: z.uuid(),
  /** Issuer of the identity provider at the time. */
  issuer: z.string(),
  /** Where an app wants the result; absent: a page shows it. */
  redirects: z.object({ success: z.string(), error: z.string() }).optional(),
  /** Label of the cookie. */
  label: z.string().optional(),
  /** Unix milliseconds until which it can be answered. */
  expiresAt: z.int(),
  /** Seconds: for as long again, it is known how to show that it can no longer be answered. */
  purgeAtSeconds: z.int(),
  /** Whether a response has led to a result. */
  isAnswered: z.literal(true).optional(),
});
export type LoginRequest = z.infer<typeof loginRequest>;
