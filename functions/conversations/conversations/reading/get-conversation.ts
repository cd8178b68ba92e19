import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "../deps.ts";

/**
 * Get a conversation with all its members, in one round trip.
 *
 * @throws ApiError `no-conversation`, `access-denied` for users who are not members
 * @see operations `get-conversation`, `get-conversation-unqualified`, `get-conversation-legalhold` and older forms
 */
export async function getConversation(
  { conversations }: Pick<Deps, "conversations">,
  { conversationId, userId }: { conversationId: string; userId: string },
): Promise<PopulatedConversation> {
  const found = await conversations.getPopulated(conversationId);
  if (found === undefined) throw new ApiError("no-conversation");
  if (!isMember(found, userId)) throw new ApiError("access-denied");
  return found;
}

export const isMember = ({ members }: PopulatedConversation, userId: string) =>
  members.some((member) => member.userId === userId);
