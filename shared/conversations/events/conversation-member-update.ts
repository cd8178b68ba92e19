import * as z from "zod";
import { qualifiedId } from "#shared/platform/http/wire-types.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { type ConversationRole, roleName } from "../conversation-roles.ts";
import { defineConversationEvent } from "./conversation-event.ts";

const data = z.object({
  qualified_target: qualifiedId,
  target: z.uuid().meta({ description: "Id of the member" }),
  conversation_role: z.string().meta({ description: "The member's new role" }),
});

/** A member's role changes. */
export const conversationMemberUpdate = defineConversationEvent({
  type: "conversation.member-update",
  summary: "The role of a conversation member changes",
  isForCells: true,
  data,
});

/** The data of the event. */
export const roleData = (
  userId: string,
  role: ConversationRole,
  { domain, vendor }: Pick<Settings, "domain" | "vendor">,
): z.input<typeof data> => ({
  qualified_target: { domain, id: userId },
  target: userId,
  conversation_role: roleName(role, vendor),
});
