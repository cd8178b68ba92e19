import * as z from "zod";
import { uuid } from "#shared/platform/http/wire-types.ts";
import { conversationPath, teamPath } from "../schemas.ts";

export const teamConversationPath = teamPath.extend(conversationPath.shape);

export const teamConversation = z
  .object({
    conversation: uuid.meta({ description: "Id of the conversation" }),
    managed: z.literal(false).meta({ description: "Always false" }),
  })
  .meta({ id: "TeamConversation" });

export const teamConversationList = z
  .object({ conversations: z.array(teamConversation) })
  .meta({ id: "TeamConversationList" });
