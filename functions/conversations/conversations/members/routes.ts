import { changesLocalConversation } from "#shared/conversations/local-conversation.ts";
import { inOwnDomain } from "#shared/platform/http/local-domain.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import { conversationPath, qualifiedConversationPath } from "../schemas.ts";
import { toQualifiedAddition } from "./older-addition.ts";
import * as schemas from "./schemas.ts";

/** The interface's limit for bodies; 2000 users take half of it. */
const additionLimit = 512 * 1024;

const unqualifiedMember = {
  path: "/conversations/{cid}/members/{uid}",
  params: schemas.memberPath,
  requires: [],
  request: inOwnDomain("domain", "user_domain"),
} as const;

export const routes = defineRoutes({
  "add-members-to-conversation": {
    method: "POST",
    audit: "conversation.member-added",
    path: "/conversations/{domain}/{cid}/members",
    since: 2,
    auth: "user",
    summary: "Add users to a conversation",
    description:
      "Leaves out users who are already members; 204 if all are. Many users are announced in several events, " +
      "which the answer sums up. In a channel, the users still have to join its MLS group.",
    params: qualifiedConversationPath,
    requires: [changesLocalConversation],
    body: schemas.addition,
    bodyLimit: additionLimit,
    responses: { 200: schemas.joinEvent, 204: null },
    errors: [
      "access-denied",
      "action-denied",
      "invalid-op",
      "not-a-team-member",
      "not-connected",
      "missing-legalhold-consent",
      "too-many-members",
      "no-conversation",
    ],
    olderForms: {
      "add-members-to-conversation-unqualified": {
        path: "/conversations/{cid}/members",
        params: conversationPath,
        requires: [],
        body: schemas.unqualifiedAddition,
        request: toQualifiedAddition,
      },
      "add-members-to-conversation-unqualified2": {
        until: 1,
        path: "/conversations/{cid}/members/v2",
        params: conversationPath,
        requires: [],
        request: inOwnDomain("domain"),
      },
    },
  },
  "remove-member": {
    method: "DELETE",
    audit: "conversation.member-removed",
    path: "/conversations/{domain}/{cid}/members/{user_domain}/{uid}",
    auth: "user",
    summary: "Leave a conversation, or remove a member",
    description: "204 if the user is not a member, or is removed from a channel.",
    params: schemas.qualifiedMemberPath,
    responses: { 200: schemas.leaveEvent, 204: null },
    errors: ["federation-not-enabled", "action-denied", "invalid-op", "no-conversation"],
    olderForms: {
      "remove-member-unqualified": {
        ...unqualifiedMember,
        errors: ["action-denied", "invalid-op", "no-conversation"],
      },
    },
  },
  "update-other-member": {
    costs: uncharged.itself,
    method: "PUT",
    audit: "conversation.member-changed",
    path: "/conversations/{domain}/{cid}/members/{user_domain}/{uid}",
    auth: "user",
    summary: "Change the role of another member",
    params: schemas.qualifiedMemberPath,
    requires: [changesLocalConversation],
    body: schemas.roleUpdate,
    responses: { 200: null },
    errors: ["action-denied", "invalid-op", "no-conversation", "no-conversation-member", "too-many-requests"],
    olderForms: { "update-other-member-unqualified": { ...unqualifiedMember, until: 6 } },
  },
  "join-conversation-by-id-unqualified": {
    method: "POST",
    audit: "conversation.member-added",
    path: "/conversations/{cid}/join",
    until: 4,
    auth: "user",
    summary: "Join a conversation that is open to those who know its id",
    description: "204 if you are already a member.",
    params: conversationPath,
    responses: { 200: schemas.joinEvent, 204: null },
    errors: ["access-denied", "invalid-op", "not-a-team-member", "too-many-members", "no-conversation"],
  },
});
