import * as z from "zod";
import { eventView } from "#shared/conversations/events/conversation-event.ts";
import { conversationMemberJoin, conversationMemberLeave } from "#shared/conversations/events/members.ts";
import { mlsEnabled } from "#shared/devices/mls/mls-enabled.ts";
import { localDomain } from "#shared/platform/http/local-domain.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { uint64 } from "#shared/platform/int64.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import { qualifiedConversationPath } from "../schemas.ts";

const commitBundle = z.instanceof(Uint8Array).meta({
  id: "CommitBundle",
  type: "string",
  format: "binary",
  description: "Messages one after the other, in any order (RFC 9420 §6)",
});

const mlsMessage = z.instanceof(Uint8Array).meta({
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

/** The largest body that always fits into the event of a Lambda function, at most 6 MiB, in base64 (ADR 38). */
const bodyLimit = 4_600_000;

const size =
  "The body may have 4.6 MB. A commit, a welcome or a message may have some 3.1 MB of it, and a GroupInfo 3.9 MB.";

const send = {
  method: "POST",
  since: 5,
  auth: "user",
  bodyFormat: "mls",
  bodyLimit,
  requires: [mlsEnabled],
  responses: { 201: sendingStatus },
} as const;

const framing = [
  "mls-protocol-error",
  "mls-client-sender-user-mismatch",
  "mls-invalid-leaf-node-index",
  "federation-not-enabled",
  "mls-identity-mismatch",
  "no-conversation",
  "mls-stale-message",
  "mls-unsupported-message",
  "mls-unsupported-proposal",
] as const;

export const routes = defineRoutes({
  "mls-commit-bundle": {
    costs: "uploads",
    audit: { event: "conversation.members-committed", when: "members come or go" },
    ...send,
    path: "/mls/commit-bundles",
    summary: "Commit to an MLS group",
    description:
      "The body has one commit (as a public message), one GroupInfo of the new epoch and, if devices are added, one " +
      "Welcome, each as an MLSMessage. Of several commits for one epoch, one succeeds. The answer lists what " +
      "changes for the members of the conversation. " +
      size,
    body: commitBundle,
    errors: [
      ...framing,
      "mls-commit-missing-references",
      "mls-self-removal-not-allowed",
      "mls-subconv-join-parent-missing",
      "access-denied",
      "action-denied",
      "invalid-op",
      "missing-legalhold-consent",
      "not-a-team-member",
      "not-connected",
      "mls-proposal-not-found",
      "mls-client-mismatch",
      "mls-legal-hold-not-allowed",
    ],
  },
  "mls-message": {
    costs: uncharged.itself,
    audit: unaudited.content,
    ...send,
    path: "/mls/messages",
    pausedBy: "messages",
    summary: "Send a message to an MLS group",
    description:
      "What you have written (as a private message), or a proposal (as a public message). It goes to all other devices " +
      "in the group. " +
      size,
    body: mlsMessage,
    errors: [...framing, "too-many-requests"],
  },
  "mls-reset-conversation": {
    method: "POST",
    audit: "conversation.changed",
    path: "/mls/reset-conversation",
    since: 9,
    auth: "user",
    summary: "Replace the MLS group of a conversation by an empty one",
    description:
      "For groups that no device can use any more. The members stay in the conversation; the group gets a new id.",
    body: mlsReset,
    bodyFormat: "json-int64",
    requires: [mlsEnabled],
    responses: { 200: null },
    errors: [
      "mls-protocol-error",
      "federation-not-enabled",
      "invalid-op",
      "no-conversation",
      "mls-stale-message",
    ],
  },
  "get-group-info": {
    method: "GET",
    path: "/conversations/{domain}/{cid}/groupinfo",
    since: 5,
    auth: "user",
    summary: "Get the GroupInfo of a conversation's MLS group",
    description:
      "As the last commit has left it: what a device needs to join the group by an external commit. The body is the " +
      "structure `GroupInfo` alone (RFC 9420 §12.4.3), not an MLSMessage.",
    params: qualifiedConversationPath,
    requires: [mlsEnabled, localDomain("domain")],
    responses: { 200: { contentType: "message/mls" } },
    errors: ["no-conversation", "mls-missing-group-info"],
  },
});
