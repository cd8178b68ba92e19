import * as z from "zod";
import { type Stored, storedItem, storedObject } from "#shared/platform/data/stored-item.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { type Conversation, groupState } from "./conversation.ts";
import { newGroupId } from "./group-id.ts";

/** Id of a subconversation, which clients choose. */
export const subconversationId = z
  .string()
  .regex(/^[ -~]{1,255}$/, "has 1 to 255 printable ASCII characters");

/**
 * A subconversation: an MLS group for some devices of a conversation's members, such as a call. Devices join and leave
 * it by themselves; it has no members of its own.
 */
export const subconversationItem = storedItem(
  {
    table: "conversations",
    kind: "subconversation",
    key: ["subconversations#*", "subconversation#*"],
    subject: { nobody: "shared by its members", mentions: "devices, until a member commits their removal" },
  },
  storedObject({
    conversationId: z.uuid(),
    subconversationId: z.string(),
    /** Increases with each commit and reset; 0 until the first commit stores it. */
    revision: z.int(),
    group: groupState,
    /** Unix milliseconds of the last change; later than that of the previous one. */
    changedAt: z.int(),
  }),
);
export type Subconversation = Stored<typeof subconversationItem>;

/** Whether subconversations can be begun. */
export const mayHaveSubconversations = ({ type, protocol }: Pick<Conversation, "type" | "protocol">) =>
  (type === "regular" || type === "one-to-one") && protocol === "mls";

/**
 * A subconversation without a commit, or one that is no longer stored: its group has an id nevertheless.
 * @param generation of its group
 */
export const newSubconversation = (
  { conversationId, type }: Pick<Conversation, "conversationId" | "type">,
  { id, generation }: { readonly id: string; readonly generation: number },
  { domain }: Pick<Settings, "domain">,
): Subconversation => ({
  conversationId,
  subconversationId: id,
  revision: 0,
  group: {
    groupId: newGroupId({ conversationId, subconversationId: id, type, domain, generation }),
    epoch: 0,
  },
  changedAt: 0,
});
