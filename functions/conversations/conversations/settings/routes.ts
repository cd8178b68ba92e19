import type * as z from "zod";
import { cellsState } from "#shared/conversations/conversation.ts";
import { accessRolesOf } from "#shared/conversations/legacy-access-role.ts";
import {
  changesLocalConversation,
  knowsLocalConversation,
} from "#shared/conversations/local-conversation.ts";
import { inOwnDomain } from "#shared/platform/http/local-domain.ts";
import type { FormContext } from "#shared/platform/http/older-form.ts";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import { conversationPath, qualifiedConversationPath } from "../schemas.ts";
import type { accessUpdateV2 } from "./schemas.ts";
import * as schemas from "./schemas.ts";

interface Update {
  readonly body: z.output<typeof accessUpdateV2>;
}

/** Reads an update that may name the access roles by a legacy one. */
const toAccessUpdate = ({ body: { access, access_role: legacy, access_role_v2: roles } }: Update) => ({
  body: { access, access_role: roles ?? [...accessRolesOf(legacy ?? "activated")] },
});

/** The same for a path without a domain. */
const toQualifiedAccessUpdate = (
  input: Update & { readonly params: z.output<typeof conversationPath> },
  context: FormContext,
) => ({ ...inOwnDomain("domain")(input, context), ...toAccessUpdate(input) });

const change = {
  method: "PUT",
  auth: "user",
  description: "200 with the event, or 204 when nothing has changed.",
  params: qualifiedConversationPath,
  requires: [changesLocalConversation],
  errors: ["action-denied", "invalid-op", "no-conversation", "too-many-requests"],
} as const satisfies Partial<Route>;

const unqualified = {
  params: conversationPath,
  requires: [],
  request: inOwnDomain("domain"),
} as const;

export const routes = defineRoutes({
  "update-conversation-name": {
    costs: uncharged.itself,
    audit: "conversation.changed",
    ...change,
    path: "/conversations/{domain}/{cid}/name",
    summary: "Rename a conversation",
    description: "The event is sent even if the name is unchanged.",
    body: schemas.nameUpdate,
    responses: { 200: schemas.renameEvent, 204: null },
    errors: [...change.errors, "client-error"],
    olderForms: {
      "update-conversation-name-v0": { ...unqualified, until: 7, path: "/conversations/{cid}/name" },
      "update-conversation-name-deprecated": { ...unqualified, path: "/conversations/{cid}" },
    },
  },
  "update-conversation-message-timer": {
    costs: uncharged.itself,
    audit: "conversation.changed",
    ...change,
    path: "/conversations/{domain}/{cid}/message-timer",
    summary: "Set when clients remove messages of a conversation",
    body: schemas.messageTimerUpdate,
    bodyFormat: "json-int64",
    responses: { 200: schemas.messageTimerEvent, 204: null },
    olderForms: {
      "update-conversation-message-timer-v0": {
        ...unqualified,
        until: 7,
        path: "/conversations/{cid}/message-timer",
      },
    },
  },
  "update-conversation-receipt-mode": {
    costs: uncharged.itself,
    audit: "conversation.changed",
    ...change,
    path: "/conversations/{domain}/{cid}/receipt-mode",
    summary: "Set whether clients send read receipts in a conversation",
    body: schemas.receiptModeUpdate,
    responses: { 200: schemas.receiptModeEvent, 204: null },
    errors: [...change.errors, "mls-receipts-not-allowed"],
    olderForms: {
      "update-conversation-receipt-mode-v0": {
        ...unqualified,
        until: 7,
        path: "/conversations/{cid}/receipt-mode",
      },
    },
  },
  "update-conversation-access": {
    costs: uncharged.itself,
    audit: "conversation.changed",
    ...change,
    path: "/conversations/{domain}/{cid}/access",
    since: 3,
    summary: "Set who may be in a conversation, and how they get in",
    description:
      "Removes members who may no longer be in it, most of them before the answer. 200 with the event, or " +
      "204 when nothing has changed.",
    body: schemas.accessUpdate,
    responses: { 200: schemas.accessEvent, 204: null },
    olderForms: {
      "update-conversation-access-v2": { until: 2, body: schemas.accessUpdateV2, request: toAccessUpdate },
      "update-conversation-access-v0": {
        ...unqualified,
        until: 2,
        path: "/conversations/{cid}/access",
        body: schemas.accessUpdateV2,
        request: toQualifiedAccessUpdate,
      },
    },
  },
  "update-channel-add-permission": {
    costs: uncharged.itself,
    audit: "conversation.changed",
    ...change,
    path: "/conversations/{domain}/{cid}/add-permission",
    since: 8,
    summary: "Set who may add members to a channel",
    body: schemas.addPermissionUpdate,
    responses: { 200: schemas.addPermissionEvent, 204: null },
  },
  "update-conversation-protocol": {
    costs: uncharged.itself,
    audit: "conversation.changed",
    ...change,
    path: "/conversations/{domain}/{cid}/protocol",
    since: 5,
    summary: "Change the protocol of a conversation",
    description:
      "Conversations of teams can go from Proteus to `mixed`, and from there to MLS, by any member of the team and by " +
      "admins of the conversation. 200 with the event, or 204 when nothing has changed.",
    body: schemas.protocolUpdate,
    responses: { 200: schemas.protocolEvent, 204: null },
    errors: [...change.errors, "invalid-protocol-transition", "mls-migration-criteria-not-satisfied"],
  },
  "update-conversation-self": {
    costs: uncharged.itself,
    audit: unaudited.ownState,
    ...change,
    path: "/conversations/{domain}/{cid}/self",
    summary: "Change your own settings of a conversation",
    description: "Only your own devices are told.",
    requires: [knowsLocalConversation],
    body: schemas.ownUpdate,
    responses: { 200: null },
    errors: ["no-conversation", "too-many-requests"],
    olderForms: {
      "update-conversation-self-v0": { ...unqualified, until: 7, path: "/conversations/{cid}/self" },
    },
  },
  "member-typing-qualified": {
    costs: uncharged.nothing,
    method: "POST",
    audit: unaudited.ownState,
    path: "/conversations/{domain}/{cid}/typing",
    auth: "user",
    summary: "Tell the other members that you start or stop typing",
    params: qualifiedConversationPath,
    requires: [knowsLocalConversation],
    body: schemas.typing,
    responses: { 200: null },
    errors: ["no-conversation"],
    olderForms: { "member-typing-v0": { ...unqualified, until: 2, path: "/conversations/{cid}/typing" } },
  },
  "put-conversation-cells-state": {
    method: "PUT",
    audit: "conversation.changed",
    path: "/i/conversations/{cid}/cells-state",
    auth: "internal",
    summary: "Set whether the Cells integration is told of a conversation",
    params: conversationPath,
    body: cellsState,
    responses: { 204: null },
    errors: ["invalid-op", "no-conversation"],
  },
});
