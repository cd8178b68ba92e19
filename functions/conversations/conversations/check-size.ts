import { type Conversation, isMls } from "#shared/conversations/conversation.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Settings } from "#shared/registry/settings.ts";

/**
 * Check that a conversation has room for new members. The size of MLS groups is not limited.
 * @throws ApiError `too-many-members`
 */
export function checkSize(
  conversation: Conversation,
  joining: number,
  { maxConvSize }: Pick<Settings, "maxConvSize">,
): void {
  const isLimited = !isMls(conversation);
  if (isLimited && conversation.memberCount + joining > maxConvSize) throw new ApiError("too-many-members");
}
