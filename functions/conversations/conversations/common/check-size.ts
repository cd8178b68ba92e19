import { type Conversation, isMls } from "#shared/conversations/conversation.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Settings } from "#shared/registry/settings.ts";

/**
 * Check that a conversation has room for new members; MLS groups have no limit.
 * @throws ApiError `too-many-members`
 */
export function checkSize(
  conversation: Conversation,
  joining: number,
  { maxConvSize }: Pick<Settings, "maxConvSize">,
): void {
  if (!isMls(conversation) && conversation.memberCount + joining > maxConvSize)
    throw new ApiError("too-many-members");
}
