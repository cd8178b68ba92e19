import { createHash } from "node:crypto";
import * as z from "zod";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";

const keyBytes = 15;

/** A link by which users join a conversation, as it is stored; it never changes. */
export const guestLinkItem = storedItem(
  {
    table: "conversations",
    kind: "guest-link",
    key: ["code#*", "code"],
    subject: {
      team: ["teamId"],
      secrets: ["owner", "linkId", "passwordHash"],
      otherwise: "opens a conversation to whoever has it",
    },
  },
  storedObject({
    conversationId: z.uuid(),
    /** Team that owns the conversation. */
    teamId: z.uuid().optional(),
    /** Distinguishes it from earlier links to the conversation; its code is derived from this. */
    linkId: z.uuid(),
    passwordHash: z.string().optional(),
    /** Unix milliseconds. */
    expiresAt: z.int(),
  }),
);
export type GuestLink = Stored<typeof guestLinkItem>;

/** Key of the links to a conversation: names the conversation without being its id, and is not secret. */
export const guestLinkKey = (conversationId: string): string =>
  createHash("sha256").update(`guest-link#${conversationId}`).digest().toString("base64url", 0, keyBytes);
