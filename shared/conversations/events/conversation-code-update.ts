import { guestLinkView } from "../guest-link-view.ts";
import { defineConversationEvent } from "./conversation-event.ts";

/** A guest link is created. */
export const conversationCodeUpdate = defineConversationEvent({
  type: "conversation.code-update",
  summary: "A conversation has a guest link",
  data: guestLinkView,
});
