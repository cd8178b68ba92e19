import * as z from "zod";
import { qualifiedId } from "#shared/platform/http/wire-types.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { defineConversationEvent } from "./conversation-event.ts";

const data = z.object({
  qualified_recipient: qualifiedId,
  recipient: z.uuid(),
  message: z.null(),
  name: z.string().nullable().meta({ description: "Name of the conversation" }),
  email: z.null(),
});

/** A member asks the conversation's other user for a connection. */
export const conversationConnectRequest = defineConversationEvent({
  type: "conversation.connect-request",
  summary: "You send a connection request",
  isPushed: () => false,
  data,
});

/**
 * The data of the event.
 * @param name of the conversation
 */
export const connectRequestData = (
  recipientId: string,
  name: string | undefined,
  { domain }: Pick<Settings, "domain">,
): z.input<typeof data> => ({
  qualified_recipient: { domain, id: recipientId },
  recipient: recipientId,
  message: null,
  name: name ?? null,
  email: null,
});
