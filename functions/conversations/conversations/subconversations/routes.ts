import * as z from "zod";
import { qualifiedConversationId } from "#shared/conversations/events/conversation-event.ts";
import { subconversationId } from "#shared/conversations/subconversation.ts";
import { mlsEnabled } from "#shared/devices/mls/mls-enabled.ts";
import { localDomain } from "#shared/platform/http/local-domain.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { emptyList } from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { mlsReset } from "../mls/routes.ts";
import { qualifiedConversationPath } from "../schemas.ts";

const subconversationPath = qualifiedConversationPath.extend({
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

const subconversation = {
  path: "/conversations/{domain}/{cid}/subconversations/{subconv}",
  since: 5,
  auth: "user",
  params: subconversationPath,
  requires: [mlsEnabled, localDomain("domain")],
} as const;

export const routes = defineRoutes({
  "get-subconversation": {
    ...subconversation,
    method: "GET",
    summary: "Get a subconversation with the devices in it",
    description:
      "An MLS group for some devices of the members, such as those in a call. It begins with the first commit to its " +
      "group; from then on, devices join it by external commits.",
    responses: { 200: subconversationView },
    errors: ["no-conversation", "access-denied", "mls-subconv-unsupported-convtype"],
  },
  "delete-subconversation": {
    ...subconversation,
    method: "DELETE",
    audit: unaudited.content,
    summary: "Replace the MLS group of a subconversation by an empty one",
    description: "The group gets a new id, and its epoch is 0. Nobody is told.",
    body: mlsReset,
    bodyFormat: "json-int64",
    responses: { 200: emptyList },
    errors: ["no-conversation", "access-denied", "mls-stale-message"],
  },
  "get-subconversation-group-info": {
    ...subconversation,
    method: "GET",
    path: "/conversations/{domain}/{cid}/subconversations/{subconv}/groupinfo",
    summary: "Get the GroupInfo of a subconversation's MLS group",
    description: "As the last commit has left it: what a device needs to join by an external commit.",
    responses: { 200: { contentType: "message/mls" } },
    errors: ["no-conversation", "mls-missing-group-info"],
  },
  "leave-subconversation": {
    ...subconversation,
    method: "DELETE",
    audit: unaudited.content,
    path: "/conversations/{domain}/{cid}/subconversations/{subconv}/self",
    summary: "Leave a subconversation with this device",
    description:
      "The other devices get a proposal to remove it, which one of them has to commit. With the last device, the group " +
      "is replaced by an empty one.",
    responses: { 200: null },
    errors: ["no-conversation", "access-denied", "mls-protocol-error"],
  },
});
