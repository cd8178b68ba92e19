import { conversationMessageTimerUpdate } from "#shared/conversations/events/settings.ts";
import { type ChangeCommand, changeConversation } from "../change-conversation.ts";
import type { Deps } from "../deps.ts";

/**
 * Set the milliseconds after which clients remove messages, or that they never do.
 *
 * @returns the event; undefined when nothing has changed
 * @throws ApiError those of `changeConversation`
 * @see operations `update-conversation-message-timer` and its older form
 */
export const changeMessageTimer = (
  deps: Deps,
  { messageTimer, ...command }: ChangeCommand & { messageTimer: number | undefined },
) =>
  changeConversation(
    deps,
    command,
    { action: "modify_conversation_message_timer", event: conversationMessageTimerUpdate },
    ({ conversation }) =>
      conversation.messageTimer === messageTimer
        ? undefined
        : { fields: { messageTimer }, data: { message_timer: messageTimer ?? null } },
  );
