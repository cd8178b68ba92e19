import {
  conversationMetadata,
  conversationView,
  conversationViewV2,
  conversationViewV3,
} from "#shared/conversations/conversation-view.ts";
import { knowsLocalConversation } from "#shared/conversations/local-conversation.ts";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { conversationPath, qualifiedConversationPath } from "../schemas.ts";
import * as schemas from "./schemas.ts";

const get = {
  method: "GET",
  auth: "user",
  allowsLegalHold: true,
  summary: "Get a conversation that you are in",
  errors: ["no-conversation", "access-denied"],
} as const satisfies Partial<Route>;

const getQualified = {
  ...get,
  path: "/conversations/{domain}/{cid}",
  // Paths of other versions would match it, too.
  hidesOtherMethods: true,
  params: qualifiedConversationPath,
  requires: [knowsLocalConversation],
} as const satisfies Partial<Route>;

const getUnqualified = {
  ...get,
  path: "/conversations/{cid}",
  allowsTrailingSlash: true,
  params: conversationPath,
} as const satisfies Partial<Route>;

const getSelf = {
  method: "GET",
  auth: "user",
  summary: "Get your own membership in a conversation, with your settings",
  description: "`null` if you are not in the conversation or it does not exist.",
  responses: { 200: schemas.ownMembership },
  errors: [],
} as const satisfies Partial<Route>;

const list = {
  method: "POST",
  path: "/conversations/list",
  auth: "user",
  summary: "Get conversations by their ids",
  body: schemas.listRequest,
  bodyLimit: 512 * 1024,
  errors: [],
} as const satisfies Partial<Route>;

const getPage = {
  method: "GET",
  path: "/conversations",
  allowsTrailingSlash: true,
  auth: "user",
  summary: "Get your conversations",
  description: "In the order of their ids: a page of all, or those of the given ids that you are in.",
  query: schemas.conversationsQuery,
  errors: [],
} as const satisfies Partial<Route>;

export const routes = defineRoutes({
  "get-conversation": { ...getQualified, since: 6, responses: { 200: conversationView } },
  "get-conversation-v3": { ...getQualified, since: 3, until: 5, responses: { 200: conversationViewV3 } },
  "get-conversation-v0": { ...getQualified, until: 2, responses: { 200: conversationViewV2 } },
  "get-conversation-unqualified": { ...getUnqualified, since: 6, responses: { 200: conversationView } },
  "get-conversation-unqualified-v3": {
    ...getUnqualified,
    since: 3,
    until: 5,
    responses: { 200: conversationViewV3 },
  },
  "get-conversation-unqualified-v0": {
    ...getUnqualified,
    until: 2,
    responses: { 200: conversationViewV2 },
  },
  "get-conversation-legalhold": {
    ...get,
    path: "/legalhold/conversations/{cid}",
    until: 1,
    params: conversationPath,
    responses: { 200: conversationViewV2 },
  },
  "get-conversation-self": {
    ...getSelf,
    path: "/conversations/{domain}/{cid}/self",
    since: 8,
    params: qualifiedConversationPath,
    requires: [knowsLocalConversation],
  },
  "get-conversation-self-unqualified": {
    ...getSelf,
    path: "/conversations/{cid}/self",
    until: 7,
    params: conversationPath,
  },

  "list-conversations": { ...list, since: 6, responses: { 200: schemas.conversationList } },
  "list-conversations-v3": { ...list, since: 3, until: 5, responses: { 200: schemas.conversationListV3 } },
  "list-conversations-v2": { ...list, since: 2, until: 2, responses: { 200: schemas.conversationListV2 } },
  "list-conversations-v0": {
    ...list,
    path: "/conversations/list/v2",
    until: 1,
    responses: { 200: schemas.conversationListV2 },
  },
  "list-conversation-ids": {
    method: "POST",
    path: "/conversations/list-ids",
    auth: "user",
    summary: "List the ids of your conversations",
    description:
      "In the order of the ids. For the next page, send `paging_state` while `has_more` is true. From " +
      "version 3, the list includes the MLS self conversation if MLS is on.",
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
    errors: [],
  },
  "get-conversations": { ...getPage, since: 6, responses: { 200: schemas.conversationPage } },
  "get-conversations-v3": { ...getPage, since: 3, until: 5, responses: { 200: schemas.conversationPageV3 } },
  "get-conversations-v0": { ...getPage, until: 2, responses: { 200: schemas.conversationPageV2 } },

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
