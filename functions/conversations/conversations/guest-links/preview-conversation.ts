import type { Conversation } from "#shared/conversations/conversation.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Deps } from "../deps.ts";
import { checkJoiner } from "../join.ts";
import { checkCodeAccess, checkFeature } from "./check-link.ts";
import { findLink, type PresentedLink } from "./find-link.ts";
import { readFeature } from "./read-subject.ts";

/**
 * Show the conversation to which a link leads, to a user who could join it.
 *
 * @throws ApiError `no-conversation-code`, `no-conversation`, `access-denied`, `not-a-team-member`,
 *   `guest-links-disabled`; the order of the checks is part of the interface
 * @see operation `get-conversation-by-reusable-code`
 */
export async function previewConversation(
  deps: Deps,
  { userId, ...presented }: PresentedLink & { userId: string },
): Promise<{ conversation: Conversation; hasPassword: boolean }> {
  const link = await findLink(deps, presented);
  const [conversation, feature, account] = await Promise.all([
    deps.conversations.get(link.conversationId),
    readFeature(deps, link),
    deps.accounts.get(userId),
  ]);
  if (conversation === undefined) throw new ApiError("no-conversation");
  checkCodeAccess(conversation);
  checkJoiner(conversation, account, deps.clock());
  checkFeature(feature);
  return { conversation, hasPassword: link.passwordHash !== undefined };
}
