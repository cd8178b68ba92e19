import { mlsEnabled } from "#shared/devices/mls/mls-enabled.ts";
import { localDomain } from "#shared/platform/http/local-domain.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import { qualifiedConversationPath } from "../schemas.ts";
import * as schemas from "./schemas.ts";

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
  responses: { 201: schemas.sendingStatus },
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
    body: schemas.commitBundle,
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
    body: schemas.mlsMessage,
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
    body: schemas.mlsReset,
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
