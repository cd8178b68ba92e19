import { mlsSelfConversationId } from "#shared/conversations/derived-ids.ts";
import type { Deps } from "../deps.ts";

/** Conversations read together. */
const pageSize = 500;

/**
 * Whether a user is in a conversation whose protocol rules out legal hold, other than the user's own self conversation.
 */
export async function isInMls({ conversations }: Deps, userId: string): Promise<boolean> {
  let after: string | undefined;
  do {
    const entries = await conversations.listOfUser(userId, { after, limit: pageSize });
    const ids = entries.map(({ conversationId }) => conversationId);
    const others = ids.filter((id) => id !== mlsSelfConversationId(userId));
    const found = await Promise.all(others.map((id) => conversations.get(id)));
    if (found.some((one) => one !== undefined && one.protocol !== "proteus")) return true;
    after = entries.length < pageSize ? undefined : ids.at(-1);
  } while (after !== undefined);
  return false;
}
