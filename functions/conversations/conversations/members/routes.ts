import * as z from "zod";
import { eventView } from "#shared/conversations/events/conversation-event.ts";
import { conversationMemberJoin, conversationMemberLeave } from "#shared/conversations/events/members.ts";
import { changesLocalConversation } from "#shared/conversations/local-conversation.ts";
import { inOwnDomain } from "#shared/platform/http/local-domain.ts";
import type { FormContext } from "#shared/platform/http/older-form.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import * as wire from "#shared/platform/http/wire-types.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import { conversationPath, qualifiedConversationPath, roleName } from "../schemas.ts";

const userId = { uid: wire.userId };

const memberPath = conversationPath.extend(userId);
const qualifiedMemberPath = qualifiedConversationPath.extend({ user_domain: wire.domain, ...userId });

/** Maximum number of users in one request: more than any conversation but a channel holds. */
const maxUsers = 2000;
const roleOfNewMembers = roleName
  .optional()
  .meta({ description: "By default the highest role that you may give" });

const addition = z
  .object({
    qualified_users: z.array(wire.qualifiedId).min(1).max(maxUsers),
    conversation_role: roleOfNewMembers,
  })
  .meta({
    id: "InviteQualified",
    examples: [{ qualified_users: [{ domain: "example.org", id: "8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60" }] }],
  });

const unqualifiedAddition = z
  .object({ users: z.array(wire.userId).min(1).max(maxUsers), conversation_role: roleOfNewMembers })
  .meta({ id: "Invite", examples: [{ users: ["8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60"] }] });

const roleUpdate = z
  .object({ conversation_role: roleName })
  .meta({ id: "OtherMemberUpdate", examples: [{ conversation_role: "svc_member" }] });

const joinEvent = eventView(conversationMemberJoin);
const leaveEvent = eventView(conversationMemberLeave);

interface Addition {
  readonly params: z.output<typeof conversationPath>;
  readonly body: z.output<typeof unqualifiedAddition>;
}

/** Reads an addition that names neither the domain of the conversation nor those of the users. */
const toQualifiedAddition = (input: Addition, context: FormContext) => ({
  ...inOwnDomain("domain")(input, context),
  body: {
    qualified_users: input.body.users.map((id) => ({ domain: context.settings.domain, id })),
    conversation_role: input.body.conversation_role,
  },
});

/** The interface's limit for bodies; 2000 users take half of it. */
const additionLimit = 512 * 1024;

const unqualifiedMember = {
  path: "/conversations/{cid}/members/{uid}",
  params: memberPath,
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
    body: addition,
    bodyLimit: additionLimit,
    responses: { 200: joinEvent, 204: null },
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
        body: unqualifiedAddition,
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
    params: qualifiedMemberPath,
    responses: { 200: leaveEvent, 204: null },
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
    params: qualifiedMemberPath,
    requires: [changesLocalConversation],
    body: roleUpdate,
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
    responses: { 200: joinEvent, 204: null },
    errors: ["access-denied", "invalid-op", "not-a-team-member", "too-many-members", "no-conversation"],
  },
});
