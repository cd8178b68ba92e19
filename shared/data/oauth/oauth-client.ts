import * as z from "zod";

/** A third-party app that the operator has approved. */
export const oauthClientItem = z.object({
  clientId: z.uuid(),
  applicationName: z.string(),
  redirectUrl: z.string(),
  /** Newest first; the older ones are valid for a while, so that the app can be changed over. */
  secrets: z.array(
    z.object({
      /** SHA-256, hex: the secret itself is random enough to need no slow hash. */
      hash: z.string(),
      /** Unix milliseconds. */
      expiresAt: z.int().optional(),
    }),
  ),
  /** Unix milliseconds. */
  createdAt: z.int(),
});
export type OAuthClient = z.infer<typeof oauthClientItem>;
