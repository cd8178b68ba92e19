import * as z from "zod";
import { seconds, tokenBucket } from "./types.ts";

/** Settings of conversations and messages. */
export const conversationSettings = {
  /** Lifetime of a guest link. */
  guestLinkTTLSeconds: seconds.min(1).max(31_536_000).default(31_536_000),
  /**
   * Page that guest links open. It gets `key` and `code` in the query. Absent: `conversation-join/` on this server, which
   * leads to the web app.
   */
  guestLinkUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** Checks of guest links from one network without login. */
  setGuestLinkCheckRateLimit: tokenBucket.prefault({ burst: 200, refillSeconds: 5 }),
  /** Typing events of one user. Each goes to all members; more are dropped. */
  setTypingRateLimit: tokenBucket.prefault({ burst: 20, refillSeconds: 2 }),
  /** Members of a conversation. Also users whose prekeys one request can claim. */
  maxConvSize: z.int().min(2).default(500),
};
