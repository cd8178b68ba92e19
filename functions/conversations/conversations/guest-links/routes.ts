import * as z from "zod";
import { eventView } from "#shared/conversations/events/conversation-event.ts";
import { conversationMemberJoin } from "#shared/conversations/events/members.ts";
import { conversationCodeDelete, conversationCodeUpdate } from "#shared/conversations/events/settings.ts";
import { guestLinkView, presentedLink } from "#shared/conversations/guest-link-view.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { featureViews } from "#shared/teams/features/feature-view.ts";
import { conversationPath } from "../schemas.ts";

const password = z.string().min(8).max(1024).meta({ description: "Password of the link" });
/** A code that no link can have counts as wrong, not as malformed. */
const enteredPassword = z.string().meta({ description: "Password of the link" });

const guestLinkRequest = z
  .object({ password: password.optional() })
  .meta({ id: "CreateConversationCodeRequest", examples: [{ password: "correct horse battery" }] });

const codeUpdateEvent = eventView(conversationCodeUpdate);
const codeDeleteEvent = eventView(conversationCodeDelete);
const memberJoinEvent = eventView(conversationMemberJoin);

const example = { key: "nJR2ZpFAuX2m6nYJ4HsV", code: "A9FdVqzZ4cTzVqwsYH1c" };

const linkCheck = presentedLink
  .extend({ uri: z.string().optional() })
  .meta({ id: "ConversationCode", examples: [example] });

const joinRequest = presentedLink
  .extend({ uri: z.string().optional(), password: enteredPassword.optional() })
  .meta({ id: "JoinConversationByCode", examples: [example] });

const coverView = z
  .object({
    id: wire.uuid.meta({ description: "Id of the conversation" }),
    name: z.string().optional().meta({ description: "Name of the conversation, if it has one" }),
    has_password: z.boolean().meta({ description: "Whether joining needs a password" }),
  })
  .meta({ id: "ConversationCoverView" });

const created = "201 with the event, or 200 with the existing link.";

export const routes = defineRoutes({
  "create-conversation-code-unqualified": {
    method: "POST",
    audit: "conversation.link-created",
    path: "/conversations/{cid}/code",
    since: 4,
    auth: "user",
    scope: "write:conversations_code",
    summary: "Create a guest link to a conversation",
    description: `${created} A link with a password is never returned.`,
    params: conversationPath,
    body: guestLinkRequest,
    responses: { 200: guestLinkView, 201: codeUpdateEvent },
    errors: [
      "access-denied",
      "no-conversation",
      "create-conv-code-conflict",
      "guest-links-disabled",
      "too-many-requests",
    ],
    olderForms: {
      "create-conversation-code-unqualified-v0": {
        until: 3,
        description: created,
        body: undefined,
        errors: ["access-denied", "no-conversation", "create-conv-code-conflict", "guest-links-disabled"],
        request: () => ({ body: {} }),
      },
    },
  },
  "get-code": {
    method: "GET",
    path: "/conversations/{cid}/code",
    auth: "user",
    summary: "Get the guest link of a conversation",
    params: conversationPath,
    responses: { 200: guestLinkView },
    errors: ["access-denied", "no-conversation", "no-conversation-code", "guest-links-disabled"],
  },
  "remove-code-unqualified": {
    method: "DELETE",
    audit: "conversation.link-revoked",
    path: "/conversations/{cid}/code",
    auth: "user",
    summary: "Remove the guest link of a conversation",
    params: conversationPath,
    responses: { 200: codeDeleteEvent },
    errors: ["access-denied", "no-conversation"],
  },
  "get-conversation-guest-links-status": {
    method: "GET",
    path: "/conversations/{cid}/features/conversationGuestLinks",
    auth: "user",
    summary: "Get whether a conversation can have guest links",
    params: conversationPath,
    responses: { 200: featureViews.conversationGuestLinks },
    errors: ["access-denied", "no-conversation"],
  },
  "join-conversation-by-code-unqualified": {
    method: "POST",
    audit: "conversation.member-added",
    path: "/conversations/join",
    auth: "user",
    summary: "Join a conversation by a guest link",
    description: "200 with the event, or 204 if you are already a member.",
    body: joinRequest,
    responses: { 200: memberJoinEvent, 204: null },
    errors: [
      "access-denied",
      "invalid-conversation-password",
      "invalid-op",
      "not-a-team-member",
      "too-many-members",
      "no-conversation",
      "no-conversation-code",
      "guest-links-disabled",
      "too-many-requests",
    ],
  },
  "get-conversation-by-reusable-code": {
    method: "GET",
    path: "/conversations/join",
    auth: "user",
    summary: "Show the conversation to which a guest link leads",
    query: presentedLink,
    responses: { 200: coverView },
    errors: [
      "access-denied",
      "not-a-team-member",
      "no-conversation",
      "no-conversation-code",
      "guest-links-disabled",
    ],
  },
  "code-check": {
    method: "POST",
    audit: unaudited.reading,
    path: "/conversations/code-check",
    auth: "none",
    summary: "Check a guest link",
    body: linkCheck,
    responses: { 200: null },
    errors: ["no-conversation-code", "too-many-requests"],
  },
});
