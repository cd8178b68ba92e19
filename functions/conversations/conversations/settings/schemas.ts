import * as z from "zod";
import { eventView } from "#shared/conversations/events/conversation-event.ts";
import { conversationRename } from "#shared/conversations/events/conversation-rename.ts";

export const nameUpdate = z
  .object({ name: z.string().meta({ description: "Of 1 to 256 characters" }) })
  .meta({ id: "ConversationRename", examples: [{ name: "Engines" }] });

export const renameEvent = eventView(conversationRename);
