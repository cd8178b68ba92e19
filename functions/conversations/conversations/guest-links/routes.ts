import { guestLinkView, presentedLink } from "#shared/conversations/guest-link-view.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { featureViews } from "#shared/teams/features/feature-view.ts";
import { conversationPath } from "../schemas.ts";
import * as schemas from "./schemas.ts";

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
    body: schemas.guestLinkRequest,
    responses: { 200: guestLinkView, 201: schemas.codeUpdateEvent },
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
    responses: { 200: schemas.codeDeleteEvent },
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
    body: schemas.joinRequest,
    responses: { 200: schemas.memberJoinEvent, 204: null },
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
    responses: { 200: schemas.coverView },
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
    body: schemas.linkCheck,
    responses: { 200: null },
    errors: ["no-conversation-code", "too-many-requests"],
  },
});
