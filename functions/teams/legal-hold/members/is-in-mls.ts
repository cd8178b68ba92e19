import { mlsSelfConversationId } from "#shared/conversations/derived-ids.ts";
import { batchRead } from "#shared/platform/data/batch-read.ts";
import type { Deps } from "../deps.ts";

/** Conversations read together. */
const pageSize = 500;

/**
 * Whether a user is in a conversation whose protocol rules out legal hold, other than the user's own self conversation.
 */
export async function isInMls({ conversations, dynamo }: Deps, userId: string): Promise<boolean> {
  let after: string | undefined;
  do {
    const entries = await conversations.listOfUser(userId, { after, limit: pageSize });
    const ids = entries.map(({ conversationId }) => conversationId);
    const others = ids.filter((id) => id !== mlsSelfConversationId(userId));
    const keys = conversations.conversationKeys(others);
    const items = await batchRead(dynamo, [{ tableName: conversations.tableName, keys }]);
    const found = others.map((id) => conversations.conversationOf(id, items));
    if (found.some((one) => one !== undefined && one.protocol !== "proteus")) return true;
    after = entries.length < pageSize ? undefined : ids.at(-1);
  } while (after !== undefined);
  return false;
}
