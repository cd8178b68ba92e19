import { changesLocalConversation } from "#shared/conversations/local-conversation.ts";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { conversationPath, qualifiedConversationPath } from "../schemas.ts";
import * as schemas from "./schemas.ts";

/** The interface's limit for bodies; 2000 users take half of it. */
const additionLimit = 512 * 1024;

const add = {
  method: "POST",
  auth: "user",
  summary: "Add users to a conversation",
  description:
    "Leaves out users who are already members; 204 if all are. Many users are announced in several events, " +
    "which the answer sums up. In a channel, the users still have to join its MLS group.",
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
} as const satisfies Partial<Route>;

const remove = {
  method: "DELETE",
  auth: "user",
  summary: "Leave a conversation, or remove a member",
  description: "204 if the user is not a member, or is removed from a channel.",
  responses: { 200: schemas.leaveEvent, 204: null },
} as const satisfies Partial<Route>;

const changeRole = {
  method: "PUT",
  auth: "user",
  summary: "Change the role of another member",
  body: schemas.roleUpdate,
  responses: { 200: null },
  errors: ["action-denied", "invalid-op", "no-conversation", "no-conversation-member", "too-many-requests"],
} as const satisfies Partial<Route>;

export const routes = defineRoutes({
  "add-members-to-conversation": {
    ...add,
    path: "/conversations/{domain}/{cid}/members",
    since: 2,
    params: qualifiedConversationPath,
    requires: [changesLocalConversation],
    body: schemas.addition,
  },
  "add-members-to-conversation-unqualified": {
    ...add,
    path: "/conversations/{cid}/members",
    params: conversationPath,
    body: schemas.unqualifiedAddition,
  },
  "add-members-to-conversation-unqualified2": {
    ...add,
    path: "/conversations/{cid}/members/v2",
    until: 1,
    params: conversationPath,
    body: schemas.addition,
  },
  "remove-member": {
    ...remove,
    path: "/conversations/{domain}/{cid}/members/{user_domain}/{uid}",
    params: schemas.qualifiedMemberPath,
    errors: ["federation-not-enabled", "action-denied", "invalid-op", "no-conversation"],
  },
  "remove-member-unqualified": {
    ...remove,
    path: "/conversations/{cid}/members/{uid}",
    params: schemas.memberPath,
    errors: ["action-denied", "invalid-op", "no-conversation"],
  },
  "update-other-member": {
    ...changeRole,
    path: "/conversations/{domain}/{cid}/members/{user_domain}/{uid}",
    params: schemas.qualifiedMemberPath,
    requires: [changesLocalConversation],
  },
  "update-other-member-unqualified": {
    ...changeRole,
    path: "/conversations/{cid}/members/{uid}",
    until: 6,
    params: schemas.memberPath,
  },
  "join-conversation-by-id-unqualified": {
    method: "POST",
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
