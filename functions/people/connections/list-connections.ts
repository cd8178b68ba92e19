import type { Connection } from "#shared/conversations/connections/connection.ts";
import type { Deps } from "./deps.ts";

/**
 * List a page of a user's connections in all states, in the order of the other users' ids.
 *
 * @param page.after id of the other user after whom the page starts
 * @see operations `list-connections`, `list-connections-v0`
 */
export async function listConnections(
  { connections: store }: Deps,
  userId: string,
  { after, size }: { after?: string; size: number },
): Promise<{ connections: Connection[]; hasMore: boolean }> {
  const found = await store.list(userId, { after, limit: size + 1 });
  return { connections: found.slice(0, size), hasMore: found.length > size };
}
