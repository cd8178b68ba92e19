import { mlsSelfConversationId } from "#shared/conversations/derived-ids.ts";
import { ensureMlsSelfConversation } from "../creation/self-conversations.ts";
import type { Deps } from "../deps.ts";

/** Where a page of conversations starts, and how long it may be. */
export interface PageRequest {
  /** Id of the conversation after which the page starts; absent: the first one. */
  readonly after?: string;
  readonly limit: number;
}

interface IdsPage {
  readonly ids: string[];
  readonly hasMore: boolean;
}

/** First version whose clients know the MLS self conversation. */
const firstVersionWithMlsSelf = 3;

/**
 * List ids of a user's conversations in ascending order, without the MLS self conversation in versions that do not know
 * it. May include a conversation that has just been deleted.
 *
 * @see operations `list-conversation-ids-unqualified`, `get-conversations`
 */
export async function listIds(
  { conversations }: Pick<Deps, "conversations">,
  { userId, version }: { userId: string; version: number },
  { after, limit }: PageRequest,
): Promise<IdsPage> {
  const hidden = version < firstVersionWithMlsSelf ? mlsSelfConversationId(userId) : undefined;
  const entries = await conversations.listOfUser(userId, {
    after,
    limit: limit + (hidden === undefined ? 1 : 2),
  });
  const ids = entries.map(({ conversationId }) => conversationId).filter((id) => id !== hidden);
  return { ids: ids.slice(0, limit), hasMore: ids.length > limit };
}

/**
 * List ids as `listIds` does. With MLS on, the MLS self conversation is created when a client that knows it first reads
 * the page where it belongs.
 *
 * @throws ApiError `not-found` when the account is deleted; access tokens outlive it by some minutes
 * @see operation `list-conversation-ids`
 */
export async function listIdsWithMlsSelf(
  deps: Deps,
  reader: { userId: string; version: number },
  page: PageRequest,
): Promise<IdsPage> {
  const found = await listIds(deps, reader, page);
  const isKnown = deps.settings.setEnableMLS && reader.version >= firstVersionWithMlsSelf;
  if (!isKnown || !isMissing(mlsSelfConversationId(reader.userId), page, found)) return found;
  await ensureMlsSelfConversation(deps, reader.userId);
  return listIds(deps, reader, page);
}

/** Whether an id belongs on a page but is missing. */
function isMissing(id: string, { after = "" }: PageRequest, { ids, hasMore }: IdsPage): boolean {
  const isAfterPage = hasMore && id > (ids.at(-1) ?? "");
  return id > after && !isAfterPage && !ids.includes(id);
}
