import * as z from "zod";
import { oneToOneConversationId } from "#shared/conversations/derived-ids.ts";
import { qualifiedConversationId } from "#shared/conversations/events/conversation-event.ts";
import { defineEvent } from "#shared/events/event.ts";
import { qualifiedId, utcTime } from "#shared/platform/http/wire-types.ts";
import { named } from "../events/settings.ts";
import { type Connection, connectionStatus } from "./connection.ts";

/** One side of a connection (published schema `UserConnection`). */
export const connection = z
  .object({
    from: z.uuid().meta({ description: "Id of the user whose side this is" }),
    to: z.uuid().meta({ description: "Id of the other user" }),
    qualified_to: qualifiedId,
    status: connectionStatus.meta({
      description:
        "`sent`: this user has sent a request. `pending`: the other user has sent one. `ignored`: this " +
        "user ignores the request, without the other one learning of it. `cancelled`: the request was " +
        "withdrawn. `blocked`: this user blocks the other one.",
    }),
    conversation: z.uuid().meta({
      description: "Id of the conversation of the two users, which exists from the first request on",
    }),
    qualified_conversation: qualifiedConversationId,
    last_update: utcTime.meta({ description: "When the status last changed, with milliseconds" }),
  })
  .meta({ id: "UserConnection", description: "One side of a connection" });

/** Shows one side of a connection to its user. */
export const toConnectionView = (
  { userId, peerId, status, updatedAt }: Connection,
  domain: string,
): z.input<typeof connection> => {
  const conversationId = oneToOneConversationId(userId, peerId);
  return {
    from: userId,
    to: peerId,
    qualified_to: { domain, id: peerId },
    status,
    conversation: conversationId,
    qualified_conversation: { domain, id: conversationId },
    last_update: new Date(updatedAt).toISOString(),
  };
};

/** A side of a connection changes; `user.name` names the other user, if that user made the change. */
export const userConnection = defineEvent({
  type: "user.connection",
  summary: "Your side of a connection changes",
  recipients: "self",
  isPushed: ({ connection: { status } }) => status === "pending" || status === "accepted",
  schema: z.object({
    connection,
    user: named.optional().meta({ description: "The other user, if that user made the change" }),
  }),
});
