import { typeNumbers } from "../conversation.ts";
import { conversationInEvent } from "../conversation-view.ts";
import { defineConversationEvent } from "./conversation-event.ts";

/** A conversation is created. Its data comes from `toConversationInEvent`. */
export const conversationCreate = defineConversationEvent({
  type: "conversation.create",
  summary: "A conversation is created",
  hasOwnViews: true,
  isPushed: ({ type }) => type === typeNumbers.regular,
  isForCells: true,
  cellsFields: ["type", "qualified_conversation", "qualified_from", "time"],
  data: conversationInEvent,
});
