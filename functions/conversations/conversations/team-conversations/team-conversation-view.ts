import type * as z from "zod";
import type { teamConversation } from "./schemas.ts";

export const toTeamConversationView = (conversationId: string): z.input<typeof teamConversation> => ({
  conversation: conversationId,
  managed: false,
});
