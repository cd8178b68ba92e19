import type { PopulatedConversation } from "#shared/conversations/conversation-store.ts";
import { mlsOneToOneConversationId } from "#shared/conversations/derived-ids.ts";
import { newConversation } from "#shared/conversations/new-conversation.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { isLocalDomain } from "#shared/platform/http/local-domain.ts";
import { checkAcquainted, readCandidates } from "../candidates.ts";
import type { Deps } from "../deps.ts";
import type { QualifiedUser } from "../users-in-request.ts";

/**
 * Get the MLS conversation of two users, which is not stored until the first commit of its group.
 *
 * @throws ApiError `not-connected`, also when one user blocks the other
 * @see operations `get-one-to-one-mls-conversation`
 */
export async function getMlsOneToOne(
  deps: Deps,
  { userId, peer }: { userId: string; peer: QualifiedUser },
): Promise<PopulatedConversation> {
  const { conversations, settings } = deps;
  if (!isLocalDomain(peer.domain, settings) || peer.id === userId) throw new ApiError("not-connected");
  const conversationId = mlsOneToOneConversationId(userId, peer.id, settings.domain);
  const [candidates, found] = await Promise.all([
    readCandidates(deps, { userId, candidateIds: [peer.id] }),
    conversations.getPopulated(conversationId),
  ]);
  checkAcquainted(candidates, [peer.id]);
  if (found === undefined)
    return newConversation(
      { conversationId, type: "one-to-one", protocol: "mls", members: [{ userId, role: "member" }] },
      deps,
    );
  // The block dates from before the users shared a team.
  if (!found.members.some((member) => member.userId === userId)) throw new ApiError("not-connected");
  return found;
}
