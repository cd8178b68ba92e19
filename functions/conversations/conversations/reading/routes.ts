import type * as z from "zod";
import {
  conversationMetadata,
  conversationView,
  conversationViewV2,
  conversationViewV3,
  toConversationViewV2,
  toConversationViewV3,
} from "#shared/conversations/conversation-view.ts";
import { knowsLocalConversation } from "#shared/conversations/local-conversation.ts";
import { inOwnDomain } from "#shared/platform/http/local-domain.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { unaudited } from "#shared/registry/audit-events.ts";
import { uncharged } from "#shared/registry/uncharged.ts";
import { conversationPath, qualifiedConversationPath } from "../schemas.ts";
import type { conversationList, conversationPage } from "./schemas.ts";
import * as schemas from "./schemas.ts";

type List = z.input<typeof conversationList>;
type Page = z.input<typeof conversationPage>;

const toListV3 = ({ found, ...list }: List) => ({ ...list, found: found.map(toConversationViewV3) });
const toListV2 = ({ found, ...list }: List) => ({ ...list, found: found.map(toConversationViewV2) });

const toPageV3 = ({ conversations, ...page }: Page) => ({
  ...page,
  conversations: conversations.map(toConversationViewV3),
});
const toPageV2 = ({ conversations, ...page }: Page) => ({
  ...page,
  conversations: conversations.map(toConversationViewV2),
});

/** Before version 6, cipher suites are shown differently. */
const v3 = {
  since: 3,
  until: 5,
  responses: { 200: conversationViewV3 },
  answer: { 200: toConversationViewV3 },
} as const;
/** Before version 3, access roles have other names. */
const v2 = {
  until: 2,
  responses: { 200: conversationViewV2 },
  answer: { 200: toConversationViewV2 },
} as const;

const unqualified = {
  params: conversationPath,
  requires: [],
  hidesOtherMethods: false,
  request: inOwnDomain("domain"),
} as const;
const getUnqualified = { ...unqualified, path: "/conversations/{cid}", allowsTrailingSlash: true } as const;
const listV2 = { responses: { 200: schemas.conversationListV2 }, answer: { 200: toListV2 } } as const;

export const routes = defineRoutes({
  "get-conversation": {
    method: "GET",
    path: "/conversations/{domain}/{cid}",
    since: 6,
    // Otherwise, this path would also match paths of other versions.
    hidesOtherMethods: true,
    auth: "user",
    allowsLegalHold: true,
    summary: "Get a conversation that you are in",
    params: qualifiedConversationPath,
    requires: [knowsLocalConversation],
    responses: { 200: conversationView },
    errors: ["no-conversation", "access-denied"],
    olderForms: {
      "get-conversation-v3": v3,
      "get-conversation-v0": v2,
      "get-conversation-unqualified": { ...getUnqualified, since: 6 },
      "get-conversation-unqualified-v3": { ...getUnqualified, ...v3 },
      "get-conversation-unqualified-v0": { ...getUnqualified, ...v2 },
      "get-conversation-legalhold": {
        ...unqualified,
        ...v2,
        until: 1,
        path: "/legalhold/conversations/{cid}",
      },
    },
  },
  "get-conversation-self": {
    method: "GET",
    path: "/conversations/{domain}/{cid}/self",
    since: 8,
    auth: "user",
    summary: "Get your own membership in a conversation, with your settings",
    description: "`null` if you are not in the conversation or it does not exist.",
    params: qualifiedConversationPath,
    requires: [knowsLocalConversation],
    responses: { 200: schemas.ownMembership },
    errors: [],
    olderForms: {
      "get-conversation-self-unqualified": { ...unqualified, until: 7, path: "/conversations/{cid}/self" },
    },
  },

  "list-conversations": {
    costs: uncharged.nothing,
    method: "POST",
    audit: unaudited.reading,
    path: "/conversations/list",
    since: 6,
    auth: "user",
    summary: "Get conversations by their ids",
    body: schemas.listRequest,
    bodyLimit: 512 * 1024,
    responses: { 200: schemas.conversationList },
    errors: [],
    olderForms: {
      "list-conversations-v3": {
        since: 3,
        until: 5,
        responses: { 200: schemas.conversationListV3 },
        answer: { 200: toListV3 },
      },
      "list-conversations-v2": { ...listV2, since: 2, until: 2 },
      "list-conversations-v0": { ...listV2, until: 1, path: "/conversations/list/v2" },
    },
  },
  "list-conversation-ids": {
    costs: uncharged.nothing,
    method: "POST",
    audit: unaudited.reading,
    path: "/conversations/list-ids",
    auth: "user",
    summary: "List the ids of your conversations",
    description:
      "In the order of the ids. For the next page, send `paging_state` while `has_more` is true. The list includes " +
      "the conversation with yourself, whose id is yours, and from version 3 the MLS one if MLS is on.",
    body: schemas.idsRequest,
    responses: { 200: schemas.idsPage },
    errors: ["not-found"],
  },
  "list-conversation-ids-unqualified": {
    method: "GET",
    path: "/conversations/ids",
    auth: "user",
    summary: "List the ids of your conversations",
    description: "In the order of the ids.",
    query: schemas.idsQuery,
    responses: { 200: schemas.plainIdsPage },
    errors: ["not-found"],
  },
  "get-conversations": {
    method: "GET",
    path: "/conversations",
    since: 6,
    allowsTrailingSlash: true,
    auth: "user",
    summary: "Get your conversations",
    description: "In the order of their ids: a page of all, or those of the given ids that you are in.",
    query: schemas.conversationsQuery,
    responses: { 200: schemas.conversationPage },
    errors: ["not-found"],
    olderForms: {
      "get-conversations-v3": {
        since: 3,
        until: 5,
        responses: { 200: schemas.conversationPageV3 },
        answer: { 200: toPageV3 },
      },
      "get-conversations-v0": {
        until: 2,
        responses: { 200: schemas.conversationPageV2 },
        answer: { 200: toPageV2 },
      },
    },
  },

  "i-get-conversation": {
    method: "GET",
    path: "/i/conversations/{cid}",
    auth: "internal",
    summary: "Get a conversation with all its members",
    params: conversationPath,
    responses: { 200: schemas.conversationForServices },
    errors: ["no-conversation"],
  },
  "i-get-conversation-metadata": {
    method: "GET",
    path: "/i/conversations/{cid}/meta",
    auth: "internal",
    summary: "Get a conversation without its members",
    params: conversationPath,
    responses: { 200: conversationMetadata },
    errors: ["no-conversation"],
  },
  "i-get-conversation-member": {
    method: "GET",
    path: "/i/conversations/{domain}/{cid}/members/{uid}",
    auth: "internal",
    summary: "Get a member of a conversation, with the member's settings",
    description: "`null` if the user is not in the conversation or it does not exist.",
    params: schemas.memberPath,
    requires: [knowsLocalConversation],
    responses: { 200: schemas.ownMembership },
    errors: [],
  },
});
