import * as z from "zod";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";

/** The stored record of a cookie, which cannot be used as one. Times are unix milliseconds. */
const cookieRecord = storedObject({
  /** Random unsigned 32-bit integer. */
  id: z.int(),
  type: z.enum(["session", "persistent"]),
  createdAt: z.int(),
  expiresAt: z.int(),
  label: z.string().optional(),
  /** Device to which the cookie is tied. */
  clientId: z.string().optional(),
  /** Id of the cookie that has replaced this one. */
  successor: z.int().optional(),
  /** Id of the first of the cookies that replaced each other up to this one; absent: this is the first. */
  sessionId: z.int().optional(),
  /** Connection of the session's access tokens if it was taken over from another session's token. */
  connectionId: z.string().optional(),
});
export type Cookie = z.infer<typeof cookieRecord>;

/** All cookies of a user, or of a user's legal hold device: one item, so that their limit holds under concurrency. */
export const sessionsItem = storedItem(
  {
    table: "accounts",
    kind: "sessions",
    key: ["user#*", "sessions|legal-hold-sessions"],
    subject: {
      user: "partition",
      secrets: ["id", "successor", "sessionId", "connectionId", "cookies{}"],
      remains: "no cookies, but the epoch that refuses logins under way",
    },
  },
  storedObject({
    userId: z.uuid(),
    revision: z.int(),
    /** Whether they belong to the user's legal hold device; the user can neither see nor revoke those. */
    isLegalHold: z.literal(true).optional(),
    /** The least `sessionEpoch` of the account that a login must have found: it grows when all cookies are revoked. */
    epoch: z.int(),
    cookies: z.record(z.string(), cookieRecord),
    /** Creation of the newest cookie. */
    newestAt: z.int(),
    /** When the user last logged in, or registered: unlike cookies, it survives their end, for two years. */
    loggedInAt: z.int().optional(),
    /** The last day (UTC) on which the user was counted as active, such as `2026-11-26`. */
    activeOn: z.iso.date().optional(),
  }),
);
export type Sessions = Stored<typeof sessionsItem>;

export const sessionsKey = (userId: string, isLegalHold?: true) => ({
  pk: `user#${userId}`,
  sk: isLegalHold ? "legal-hold-sessions" : "sessions",
});

/** State of a user who has never had a cookie. */
export const noSessions = (userId: string, isLegalHold?: true): Sessions => ({
  userId,
  isLegalHold,
  revision: 0,
  epoch: 0,
  cookies: {},
  newestAt: 0,
});
