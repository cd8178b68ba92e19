import pLimit from "p-limit";
import { NIL } from "uuid";
import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { toOtherMemberView } from "#shared/conversations/member-view.ts";
import { AnswerList, answerBytes } from "#shared/platform/http/answer-size.ts";
import { ensureNamed } from "../creation/self-conversations.ts";
import type { Deps } from "../deps.ts";
import { readMembership } from "../read-as-member.ts";
import { isMember } from "./get-conversation.ts";

interface Selection {
  readonly userId: string;
  /** Ids of conversations. */
  readonly ids: readonly string[];
  /** Maximum size of all views in bytes. */
  readonly maxBytes: number;
}

/** A list with the outcome for each requested id. */
export interface Listed<View> {
  readonly found: readonly View[];
  /** Unknown conversations, and those that the user is not in. */
  readonly unknown: readonly string[];
  /** The first conversation that did not fit, and all after it. */
  readonly withoutRoom: readonly string[];
}

/** Concurrent queries of one request. */
const maxQueries = 50;

/**
 * Get conversations of a user in the order of the given ids, as many as fit into an answer. Their records, which are
 * read first, have the number of members. So no more is read than fits, and nothing of conversations that the user is
 * not in.
 *
 * @see operations `list-conversations`, `get-conversations` and older forms
 */
export async function listConversations<View>(
  deps: Deps,
  { userId, ids, maxBytes }: Selection,
  toView: (populated: PopulatedConversation) => View,
): Promise<Listed<View>> {
  const distinct = [...new Set(ids)];
  const sizes = await readSizes(deps, userId, distinct);
  const own = distinct.filter((id) => sizes.has(id));
  const counts = own.map((id) => sizes.get(id) ?? 0);
  const readable = own.slice(0, countWithRoom(counts, { ...deps, maxBytes }));

  const queries = pLimit(maxQueries);
  const read = await queries.map(readable, async (id) => {
    const populated = await deps.conversations.getPopulated(id);
    return { id, view: populated && isMember(populated, userId) ? toView(populated) : undefined };
  });

  const found = new AnswerList<View>(maxBytes);
  const unknown = distinct.filter((id) => !sizes.has(id));
  for (const [index, { id, view }] of read.entries()) {
    if (view === undefined) unknown.push(id);
    else if (!found.add(view)) return { found: found.items, unknown, withoutRoom: own.slice(index) };
  }
  return { found: found.items, unknown, withoutRoom: own.slice(readable.length) };
}

/** Read the sizes, by id, of the conversations that the user is in. */
async function readSizes(deps: Deps, userId: string, ids: readonly string[]): Promise<Map<string, number>> {
  const found = await Promise.all(
    ids.map(async (conversationId) => {
      const membership = { conversationId, userId };
      const read = await readMembership(deps, membership);
      if (read !== undefined || !(await ensureNamed(deps, membership))) return read;
      return readMembership(deps, membership);
    }),
  );
  const own = found.filter((one) => one?.self !== undefined).flatMap((one) => one?.conversation ?? []);
  return new Map(own.map(({ conversationId, memberCount }) => [conversationId, memberCount]));
}

/** How many conversations may fit if their members take the minimal size; the first one always does. */
function countWithRoom(
  memberCounts: readonly number[],
  { settings, maxBytes }: Pick<Deps, "settings"> & Pick<Selection, "maxBytes">,
): number {
  const shortest = { conversationId: "", userId: NIL, role: "admin" } as const;
  const memberBytes = answerBytes(toOtherMemberView(shortest, settings));
  let bytes = 0;
  const end = memberCounts.findIndex((count, index) => {
    bytes += (count - 1) * memberBytes;
    return index > 0 && bytes > maxBytes;
  });
  return end < 0 ? memberCounts.length : end;
}
