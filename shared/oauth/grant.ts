import * as z from "zod";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { oauthScopes, openIdScopes } from "#shared/registry/oauth-scopes.ts";

/**
 * The request of an app that signs a person in. Stored apart from the other scopes, because earlier versions would
 * refuse to read it there.
 */
export const openIdGrant = storedObject({
  scope: z.array(z.enum(openIdScopes)),
  /** When the person logged in, in unix seconds; absent if that is not known. */
  authTime: z.int().optional(),
});

const scope = z.array(z.enum(oauthScopes));

/**
 * The access of one app after one consent of a user: a family of refresh tokens, only one of which is valid at a time.
 * Times are unix milliseconds.
 */
const grantItem = storedObject({
  grantId: z.uuid(),
  /** Id of the app. */
  clientId: z.uuid(),
  scope,
  /** Absent unless the app signs the person in. */
  openId: openIdGrant.optional(),
  /** The valid refresh token. */
  refreshTokenId: z.uuid(),
  /** When the valid refresh token was issued. */
  issuedAt: z.int(),
  expiresAt: z.int(),
  /** The refresh token that the valid one replaced. */
  previousTokenId: z.uuid().optional(),
});
export type Grant = z.infer<typeof grantItem>;

/** All grants of a user: one item, so that their limit holds under concurrency. */
export const grantsItem = storedItem(
  {
    table: "oauth",
    kind: "grants",
    key: ["user#*", "grants"],
    subject: { user: "partition", secrets: ["refreshTokenId", "previousTokenId"] },
  },
  storedObject({
    userId: z.uuid(),
    revision: z.int(),
    grants: z.record(z.string(), grantItem),
  }),
);
export type Grants = Stored<typeof grantsItem>;

/** Leads from a refresh token, used or not, to its grant. */
export const refreshTokenItem = storedItem(
  {
    table: "oauth",
    kind: "refresh-token",
    key: ["refresh-token#*", "token"],
    subject: {
      user: ["userId"],
      secrets: ["owner", "refreshTokenId"],
      remains: "leads to a grant that is gone, until it expires",
    },
  },
  storedObject({
    refreshTokenId: z.uuid(),
    grantId: z.uuid(),
    userId: z.uuid(),
    /** Id of the app. */
    clientId: z.uuid(),
    scope,
    openId: openIdGrant.optional(),
    /** Unix milliseconds. */
    expiresAt: z.int(),
  }),
);
export type RefreshToken = Stored<typeof refreshTokenItem>;
