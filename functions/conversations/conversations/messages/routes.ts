import * as z from "zod";
import * as otr from "#shared/conversations/messages/otr-message.ts";
import {
  clientsByUser,
  commonFields,
  fewDevices,
  recipients,
  time,
  userId,
} from "#shared/conversations/messages/otr-message.ts";
import { localDomain } from "#shared/platform/http/local-domain.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import { conversationPath, qualifiedConversationPath } from "../schemas.ts";
import { newOtrMessageBody, qualifiedNewOtrMessageBody } from "./protobuf.ts";

/** A domain with the users whom a message names there. */
const domain = z.hostname();
const userList = z.object({ user_ids: z.array(z.object({ id: userId, domain })) });
const flag = z.object({});

/** The decoded form of `QualifiedNewOtrMessage`, which has no JSON form. */
export const qualifiedNewOtrMessage = z
  .object({
    ...commonFields,
    recipients: z.preprocess(
      fewDevices((domains) => (Array.isArray(domains) ? domains.map(({ users }) => users) : [])),
      z.array(z.object({ domain, users: recipients })),
    ),
    report_all: flag.optional(),
    ignore_all: flag.optional(),
    report_only: userList.optional(),
    ignore_only: userList.optional(),
  })
  .refine(
    ({ report_all, ignore_all, report_only, ignore_only }) =>
      [report_all, ignore_all, report_only, ignore_only].some((strategy) => strategy !== undefined),
    "lacks the strategy for missing devices: report_all, ignore_all, report_only or ignore_only",
  );

const clientsByDomain = z.record(z.string(), clientsByUser).meta({ id: "ClientIdsByDomain" });
const messageSendingStatus = z
  .object({
    time,
    missing: clientsByDomain.meta({ description: "Devices that the message should have addressed" }),
    redundant: clientsByDomain.meta({ description: "Addressed devices that should not get the message" }),
    deleted: clientsByDomain.meta({ description: "Addressed devices that no longer exist" }),
    failed_to_send: clientsByDomain.meta({ description: "Always empty" }),
    failed_to_confirm_clients: clientsByDomain.meta({ description: "Always empty" }),
  })
  .meta({
    id: "MessageSendingStatus",
    description: "How the addressed devices differ, by domain and user id",
  });

const size = "The body may have 6 MB of JSON, or 4.6 MB of protobuf.";
const mismatch =
  "The answer says how the addressed devices differ from those of the recipients. 412 if a required device " +
  "is missing: then nobody gets the message.";

const errors = ["foreign-sending-device", "missing-legalhold-consent", "too-many-requests"] as const;
const conversationErrors = ["no-conversation", ...errors] as const;
const broadcastErrors = ["too-many-users-to-broadcast", "no-team", ...errors] as const;

const unqualified = {
  method: "POST",
  auth: "user",
  query: otr.missingQuery,
  body: otr.newOtrMessage,
  bodyFormat: "json-or-protobuf",
  protobuf: newOtrMessageBody,
  bodyLimit: otr.messageBodyLimit,
  pausedBy: "messages",
  responses: { 201: otr.clientMismatch, 412: otr.clientMismatch },
} as const;

const qualified = {
  method: "POST",
  auth: "user",
  body: qualifiedNewOtrMessage,
  bodyFormat: "protobuf",
  protobuf: qualifiedNewOtrMessageBody,
  bodyLimit: otr.messageBodyLimit,
  pausedBy: "messages",
  responses: { 201: messageSendingStatus, 412: messageSendingStatus },
} as const;

export const routes = defineRoutes({
  "post-otr-message-unqualified": {
    costs: uncharged.content,
    audit: unaudited.content,
    ...unqualified,
    path: "/conversations/{cid}/otr/messages",
    summary: "Send an encrypted message to a conversation",
    description: `${mismatch} ${size}`,
    params: conversationPath,
    errors: conversationErrors,
  },
  "post-proteus-message": {
    costs: uncharged.content,
    audit: unaudited.content,
    ...qualified,
    path: "/conversations/{domain}/{cid}/proteus/messages",
    summary: "Send an encrypted message to a conversation",
    description: `${mismatch} ${size}`,
    params: qualifiedConversationPath,
    requires: [localDomain("domain")],
    errors: conversationErrors,
  },
  "post-otr-broadcast-unqualified": {
    costs: uncharged.content,
    audit: unaudited.content,
    ...unqualified,
    path: "/broadcast/otr/messages",
    summary: "Send an encrypted message to your team and your contacts",
    description: `${mismatch} ${size}`,
    errors: broadcastErrors,
  },
  "post-proteus-broadcast": {
    costs: uncharged.content,
    audit: unaudited.content,
    ...qualified,
    path: "/broadcast/proteus/messages",
    summary: "Send an encrypted message to your team and your contacts",
    description: `${mismatch} ${size}`,
    errors: broadcastErrors,
  },
});
