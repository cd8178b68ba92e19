import * as z from "zod";
import { qualifiedId } from "#shared/platform/http/wire-types.ts";
import type { Settings } from "#shared/registry/settings.ts";
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

const connectRequest = z.object({
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
  data: connectRequest,
});

/**
 * The data of the event.
 * @param name of the conversation
 */
export const connectRequestData = (
  recipientId: string,
  name: string | undefined,
  { domain }: Pick<Settings, "domain">,
): z.input<typeof connectRequest> => ({
  qualified_recipient: { domain, id: recipientId },
  recipient: recipientId,
  message: null,
  name: name ?? null,
  email: null,
});

/** A conversation is deleted. */
export const conversationDelete = defineConversationEvent({
  type: "conversation.delete",
  summary: "A conversation is deleted",
  isForCells: true,
  data: z.null(),
});

const groupId = z.string().meta({ description: "Id of an MLS group in base64" });

/** The MLS group of a conversation is replaced by an empty one. */
export const conversationMlsReset = defineConversationEvent({
  type: "conversation.mls-reset",
  summary: "The MLS group of a conversation is replaced by an empty one, in which nobody is yet",
  data: z.object({ group_id: groupId, new_group_id: groupId }),
});
