import type * as z from "zod";
import { timeAfter } from "#shared/conversations/conversation.ts";
import { envelopeOf } from "#shared/conversations/events/conversation-event.ts";
import { conversationTyping, type typingStatus } from "#shared/conversations/events/messages.ts";
import { conversationGroup } from "#shared/events/publisher.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { mayCommit } from "#shared/platform/messaging/commit-guard.ts";
import { RateLimitedError } from "#shared/platform/rate-limit/token-bucket.ts";
import type { ChangeCommand } from "../change-conversation.ts";
import type { Deps } from "../deps.ts";

/**
 * Tell the other members, except bots, that a member starts or stops typing. The event is not stored. Beyond the limit
 * of a user it is dropped, because clients do not expect a refusal.
 *
 * @throws ApiError `no-conversation` also for users who are not members
 * @see operations `member-typing-qualified` and its older form
 */
export async function sendTyping(
  deps: Deps,
  { actor, conversationId, status }: ChangeCommand & { status: z.infer<typeof typingStatus> },
): Promise<void> {
  const { clock, conversations, events, settings } = deps;
  const [found, isWithinLimit] = await Promise.all([
    conversations.getPopulated(conversationId),
    takeToken(deps, actor.userId),
    mayCommit(),
  ]);
  if (!found?.members.some(({ userId }) => userId === actor.userId)) throw new ApiError("no-conversation");
  if (!isWithinLimit) return;
  const { conversation } = found;
  const time = timeAfter(conversation, clock());
  const cause = { from: actor.userId, time, isChange: false };
  await change(deps, async () => ({
    messages: events.to(
      {
        group: conversationGroup(conversationId),
        time,
        recipients: found.members
          .filter(({ userId, service }) => userId !== actor.userId && service === undefined)
          .map(({ userId }) => ({ userId })),
      },
      conversationTyping,
      { ...envelopeOf(conversation, cause, settings), data: { status } },
    ),
  }));
}

/** @returns whether a message was sent */
async function takeToken({ rateLimiter, settings }: Deps, userId: string): Promise<boolean> {
  try {
    await rateLimiter.take(`typing#${userId}`, settings.setTypingRateLimit);
    return true;
  } catch (error) {
    if (error instanceof RateLimitedError) return false;
    throw error;
  }
}
