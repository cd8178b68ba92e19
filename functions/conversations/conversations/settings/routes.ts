import { cellsState } from "#shared/conversations/conversation.ts";
import {
  changesLocalConversation,
  knowsLocalConversation,
} from "#shared/conversations/local-conversation.ts";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { conversationPath, qualifiedConversationPath } from "../schemas.ts";
import * as schemas from "./schemas.ts";

const change = {
  method: "PUT",
  auth: "user",
  description: "200 with the event, or 204 when nothing has changed.",
  errors: ["action-denied", "invalid-op", "no-conversation", "too-many-requests"],
} as const satisfies Partial<Route>;
const ofQualified = { params: qualifiedConversationPath, requires: [changesLocalConversation] } as const;
const ofUnqualified = { params: conversationPath } as const;

const rename = {
  ...change,
  summary: "Rename a conversation",
  description: "The event is sent even if the name is unchanged.",
  body: schemas.nameUpdate,
  responses: { 200: schemas.renameEvent, 204: null },
  errors: [...change.errors, "client-error"],
} as const;

const changeMessageTimer = {
  ...change,
  summary: "Set when clients remove messages of a conversation",
  body: schemas.messageTimerUpdate,
  responses: { 200: schemas.messageTimerEvent, 204: null },
} as const;

const changeReceiptMode = {
  ...change,
  summary: "Set whether clients send read receipts in a conversation",
  body: schemas.receiptModeUpdate,
  responses: { 200: schemas.receiptModeEvent, 204: null },
  errors: [...change.errors, "mls-receipts-not-allowed"],
} as const;

const changeAccess = {
  ...change,
  summary: "Set who may be in a conversation, and how they get in",
  description:
    "Removes members who may no longer be in it, most of them before the answer. 200 with the event, or " +
    "204 when nothing has changed.",
  responses: { 200: schemas.accessEvent, 204: null },
} as const;
const changeAccessV2 = { ...changeAccess, until: 2, body: schemas.accessUpdateV2 } as const;

const changeOwnSettings = {
  ...change,
  summary: "Change your own settings of a conversation",
  description: "Only your own devices are told.",
  body: schemas.ownUpdate,
  responses: { 200: null },
  errors: ["no-conversation", "too-many-requests"],
} as const;

const sendTyping = {
  method: "POST",
  auth: "user",
  summary: "Tell the other members that you start or stop typing",
  body: schemas.typing,
  responses: { 200: null },
  errors: ["no-conversation"],
} as const satisfies Partial<Route>;

export const routes = defineRoutes({
  "update-conversation-name": { ...rename, path: "/conversations/{domain}/{cid}/name", ...ofQualified },
  "update-conversation-name-v0": {
    ...rename,
    path: "/conversations/{cid}/name",
    until: 7,
    ...ofUnqualified,
  },
  "update-conversation-name-deprecated": { ...rename, path: "/conversations/{cid}", ...ofUnqualified },
  "update-conversation-message-timer": {
    ...changeMessageTimer,
    path: "/conversations/{domain}/{cid}/message-timer",
    ...ofQualified,
  },
  "update-conversation-message-timer-v0": {
    ...changeMessageTimer,
    path: "/conversations/{cid}/message-timer",
    until: 7,
    ...ofUnqualified,
  },
  "update-conversation-receipt-mode": {
    ...changeReceiptMode,
    path: "/conversations/{domain}/{cid}/receipt-mode",
    ...ofQualified,
  },
  "update-conversation-receipt-mode-v0": {
    ...changeReceiptMode,
    path: "/conversations/{cid}/receipt-mode",
    until: 7,
    ...ofUnqualified,
  },
  "update-conversation-access": {
    ...changeAccess,
    path: "/conversations/{domain}/{cid}/access",
    since: 3,
    body: schemas.accessUpdate,
    ...ofQualified,
  },
  "update-conversation-access-v2": {
    ...changeAccessV2,
    path: "/conversations/{domain}/{cid}/access",
    ...ofQualified,
  },
  "update-conversation-access-v0": {
    ...changeAccessV2,
    path: "/conversations/{cid}/access",
    ...ofUnqualified,
  },
  "update-channel-add-permission": {
    ...change,
    path: "/conversations/{domain}/{cid}/add-permission",
    since: 8,
    summary: "Set who may add members to a channel",
    body: schemas.addPermissionUpdate,
    responses: { 200: schemas.addPermissionEvent, 204: null },
    ...ofQualified,
  },
  "update-conversation-protocol": {
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
    ...ofQualified,
  },
  "update-conversation-self": {
    ...changeOwnSettings,
    path: "/conversations/{domain}/{cid}/self",
    params: qualifiedConversationPath,
    requires: [knowsLocalConversation],
  },
  "update-conversation-self-v0": {
    ...changeOwnSettings,
    path: "/conversations/{cid}/self",
    until: 7,
    ...ofUnqualified,
  },
  "member-typing-qualified": {
    ...sendTyping,
    path: "/conversations/{domain}/{cid}/typing",
    params: qualifiedConversationPath,
    requires: [knowsLocalConversation],
  },
  "member-typing-v0": { ...sendTyping, path: "/conversations/{cid}/typing", until: 2, ...ofUnqualified },
  "put-conversation-cells-state": {
    method: "PUT",
    path: "/i/conversations/{cid}/cells-state",
    auth: "internal",
    summary: "Set whether the Cells integration is told of a conversation",
    params: conversationPath,
    body: cellsState,
    responses: { 204: null },
    errors: ["invalid-op", "no-conversation"],
  },
});
