import { mlsSelfConversationId, selfConversationId } from "#shared/conversations/derived-ids.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { ensureNamed } from "../creation/self-conversations.ts";
import type { Deps } from "../deps.ts";

/** Where a page of conversations starts, and how long it may be. */
export interface PageRequest {
  /** Id of the conversation after which the page starts; absent: the first one. */
  readonly after?: string;
  readonly limit: number;
}

interface Reader {
  readonly userId: string;
  readonly version: number;
}

interface IdsPage {
  readonly ids: string[];
  readonly hasMore: boolean;
}

/** First version whose clients know the MLS self conversation. */
const firstVersionWithMlsSelf = 3;

/**
 * List ids of a user's conversations in ascending order, without the MLS self conversation in versions that do not know
 * it. May include a conversation that has just been deleted. The self conversation is created when a client first reads the
 * page where it belongs.
 *
 * @throws ApiError `not-found` when the account is deleted; access tokens outlive it by some minutes
 * @see operations `list-conversation-ids-unqualified`, `get-conversations`
 */
export const listIds = (deps: Deps, reader: Reader, page: PageRequest): Promise<IdsPage> =>
  listWith(deps, reader, page, [selfConversationId(reader.userId)]);

/**
 * List ids as `listIds` does. With MLS on, the MLS self conversation is created in the same way for clients that know it.
 *
 * @see operation `list-conversation-ids`
 */
export function listIdsWithMlsSelf(deps: Deps, reader: Reader, page: PageRequest): Promise<IdsPage> {
  const { userId, version } = reader;
  const isKnown = deps.settings.setEnableMLS && version >= firstVersionWithMlsSelf;
  return listWith(deps, reader, page, [
    selfConversationId(userId),
    ...(isKnown ? [mlsSelfConversationId(userId)] : []),
  ]);
}

async function listWith(
  deps: Deps,
  reader: Reader,
  page: PageRequest,
  expected: readonly string[],
): Promise<IdsPage> {
  const found = await readIds(deps, reader, page);
  const missing = expected.filter((id) => isMissing(id, page, found));
  if (missing.length === 0) return found;
  const { userId } = reader;
  const created = await Promise.all(
    missing.map((conversationId) => ensureNamed(deps, { userId, conversationId })),
  );
  if (created.includes(false)) throw new ApiError("not-found");
  return readIds(deps, reader, page);
}

async function readIds(
  { conversations }: Pick<Deps, "conversations">,
  { userId, version }: Reader,
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

/** Whether an id belongs on a page but is missing. */
function isMissing(id: string, { after = "" }: PageRequest, { ids, hasMore }: IdsPage): boolean {
  const isAfterPage = hasMore && id > (ids.at(-1) ?? "");
  return id > after && !isAfterPage && !ids.includes(id);
}
