import * as z from "zod";

/** Settings of conversations and messages. */
export const conversationSettings = {
  /** Most members of a conversation, and most users whose prekeys one request can claim. */
  maxConvSize: z.int().min(2).default(500),
};
