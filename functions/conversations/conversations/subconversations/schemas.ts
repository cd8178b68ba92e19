import * as z from "zod";
import { qualifiedConversationId } from "#shared/conversations/events/conversation-event.ts";
import { subconversationId } from "#shared/conversations/subconversation.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { qualifiedConversationPath } from "../schemas.ts";

export const subconversationPath = qualifiedConversationPath.extend({
  subconv: subconversationId.meta({
    description: "Id of the subconversation, which clients agree on",
    examples: ["conference"],
  }),
});

const clientIdentity = z
  .object({
    domain: wire.domain,
    user_id: wire.userId,
    client_id: z.string().meta({ description: "Id of a device" }),
  })
  .meta({ id: "ClientIdentity" });

export const subconversationView = z
  .object({
    parent_qualified_id: qualifiedConversationId,
    subconv_id: z.string().meta({ description: "Id of the subconversation" }),
    group_id: z.string().meta({ description: "Id of its MLS group in base64" }),
    epoch: z.int().meta({ description: "Epoch of the group; 0 until a device commits to it" }),
    epoch_timestamp: wire.utcSecond
      .optional()
      .meta({ description: "When the epoch began; absent in epoch 0" }),
    cipher_suite: z.int().optional().meta({ description: "Cipher suite of the group; absent in epoch 0" }),
    members: z.array(clientIdentity).meta({ description: "Devices in the group" }),
  })
  .meta({ id: "PublicSubConversation" });
