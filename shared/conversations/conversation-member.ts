import * as z from "zod";
import { storedServiceRef } from "#shared/accounts/account.ts";
import type { Recipient } from "#shared/events/event-message.ts";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import { conversationRole } from "./conversation-roles.ts";

/** A user as a member of a conversation, with the member's own settings. */
export const conversationMemberItem = storedItem(
  {
    table: "conversations",
    kind: "member",
    key: ["conversation#*", "member#*"],
    subject: { user: ["userId"], toTeam: ["conversationId", "userId", "role", "service"] },
  },
  storedObject({
    conversationId: z.uuid(),
    userId: z.uuid(),
    role: conversationRole,
    /** Bots only: the service to which it belongs. */
    service: storedServiceRef.optional(),
    mutedStatus: z.int().optional(),
    mutedReference: z.string().optional(),
    isArchived: z.boolean().optional(),
    archivedReference: z.string().optional(),
    isHidden: z.boolean().optional(),
    hiddenReference: z.string().optional(),
  }),
  {
    conversationId: "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60",
    userId: "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60",
    role: "member",
  },
);
export type ConversationMember = Stored<typeof conversationMemberItem>;

/** A recipient of a conversation's event. A bot must be named with its service, which then gets the event. */
export type Addressee = Pick<ConversationMember, "userId" | "service">;

/** Creates the recipient of an event. */
export const toRecipient = ({ userId, service }: Addressee): Recipient => ({
  userId,
  ...(service !== undefined && { service }),
});

/** Whether a member is a bot. */
export const isBot = ({ service }: Pick<ConversationMember, "service">): boolean => service !== undefined;

/** A member's own settings. */
export type OwnSettings = Partial<
  Pick<
    ConversationMember,
    "mutedStatus" | "mutedReference" | "isArchived" | "archivedReference" | "isHidden" | "hiddenReference"
  >
>;

/** A conversation in the list of one of its members. */
export const conversationEntry = storedItem(
  {
    table: "conversations",
    kind: "list-entry",
    key: ["user#*|team#*", "conversation#*"],
    subject: { user: "partition" },
  },
  storedObject({
    conversationId: z.uuid(),
    /** Team that owns the conversation. */
    teamId: z.uuid().optional(),
  }),
);
export type ConversationEntry = Stored<typeof conversationEntry>;
