import type { Clock } from "#shared/platform/clock.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { Conversation } from "./conversation.ts";
import type { ConversationMember } from "./conversation-member.ts";
import type { PopulatedConversation } from "./conversation-store.ts";
import { newGroupId } from "./group-id.ts";

/** Properties of a new conversation; by default private, with Proteus. */
export type NewConversation = Pick<Conversation, "conversationId" | "type"> &
  Partial<
    Omit<Conversation, "revision" | "memberCount" | "group" | "createdAt" | "changedAt" | "isDeleted">
  > & { readonly members: readonly Pick<ConversationMember, "userId" | "role">[] };

/** Creates a conversation with its members. With MLS, it has an empty group and no read receipts. */
export function newConversation(
  { members, ...given }: NewConversation,
  { clock, settings }: { readonly clock: Clock; readonly settings: Pick<Settings, "domain"> },
): PopulatedConversation {
  const now = clock();
  const { conversationId, type } = given;
  const { domain } = settings;
  return {
    conversation: {
      revision: 1,
      protocol: "proteus",
      access: ["private"],
      accessRoles: [],
      cellsState: "disabled",
      ...given,
      ...(given.protocol === "mls" && {
        receiptMode: 0,
        group: { groupId: newGroupId({ conversationId, type, domain }), epoch: 0 },
      }),
      memberCount: members.length,
      createdAt: now,
      changedAt: now,
    },
    members: members.map((member) => ({ conversationId, ...member })),
  };
}
