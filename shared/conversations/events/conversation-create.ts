import { typeNumbers } from "../conversation.ts";
import { conversationInEvent } from "../conversation-view.ts";
import { defineConversationEvent } from "./conversation-event.ts";

/** A conversation exists from now on. Its data is made by `toConversationInEvent`. */
export const conversationCreate = defineConversationEvent({
  type: "conversation.create",
  summary: "A conversation is created",
  hasOwnViews: true,
  isPushed: ({ type }) => type === typeNumbers.regular,
  isForCells: true,
  cellsFields: ["type", "qualified_conversation", "qualified_from", "time"],
  data: conversationInEvent,
});
