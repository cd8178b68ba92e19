import * as z from "zod";
import { oauthScopes } from "../../oauth/scopes.ts";

const scope = z.array(z.enum(oauthScopes));

/**
 * What one app may do for a user, from one consent: a family of refresh tokens, of which one is good at a time. Times are
 * unix milliseconds.
 */
const grantItem = z.object({
  grantId: z.uuid(),
  clientId: z.uuid(),
  scope,
  /** The refresh token that is good. */
  refreshTokenId: z.uuid(),
  /** When that one was issued. */
  issuedAt: z.int(),
  expiresAt: z.int(),
  /** The one before. */
  previousTokenId: z.uuid().optional(),
});
export type Grant = z.infer<typeof grantItem>;

/** All grants of a user: one item, so that their limit holds under concurrency. */
export const grantsItem = z.object({
  userId: z.uuid(),
  revision: z.int(),
  grants: z.record(z.string(), grantItem),
});
export type Grants = z.infer<typeof grantsItem>;

/** Leads from a refresh token, also one that was used, to its grant. */
export const refreshTokenItem = z.object({
  refreshTokenId: z.uuid(),
  grantId: z.uuid(),
  userId: z.uuid(),
  clientId: z.uuid(),
  scope,
  /** Unix milliseconds. */
  expiresAt: z.int(),
});
export type RefreshToken = z.infer<typeof refreshTokenItem>;
