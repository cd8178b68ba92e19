import * as z from "zod";
import { eventView } from "#shared/conversations/events/conversation-event.ts";
import { conversationMemberJoin, conversationMemberLeave } from "#shared/conversations/events/members.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { uint64 } from "#shared/platform/int64.ts";

export const commitBundle = z.instanceof(Uint8Array).meta({
  id: "CommitBundle",
  type: "string",
  format: "binary",
  description: "Messages one after the other, in any order (RFC 9420 §6)",
});

export const mlsMessage = z.instanceof(Uint8Array).meta({
  id: "MLSMessage",
  type: "string",
  format: "binary",
  description: "One message (RFC 9420 §6)",
});

export const mlsReset = z
  .object({
    group_id: z
      .string()
      .max(1000)
      .transform((text) => Buffer.from(text, "base64"))
      .meta({ description: "Id of the MLS group in base64" }),
    epoch: uint64().meta({ description: "Present epoch of the group" }),
  })
  .meta({ id: "MLSReset", examples: [{ group_id: "AAEAAA==", epoch: 1 }] });

/** Unlike in other answers, events may be of two kinds. */
const event = z.union([eventView(conversationMemberJoin), eventView(conversationMemberLeave)]);

export const sendingStatus = z
  .object({
    events: z.array(event).meta({ description: "Who joins and leaves the conversation by a commit" }),
    time: wire.utcTime.meta({ description: "Time of the message, and of its event" }),
  })
  .meta({ id: "MLSMessageSendingStatus" });
