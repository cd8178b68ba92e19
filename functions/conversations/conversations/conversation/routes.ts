import {
  conversationView,
  conversationViewV2,
  conversationViewV3,
} from "#shared/conversations/conversation-view.ts";
import { mlsEnabled } from "#shared/mls/mls-enabled.ts";
import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { unreachableBackends } from "../schemas.ts";
import * as schemas from "./schemas.ts";

const responseHeaders = { Location: "Id of the conversation" };
/** Bytes for a list of all users of a large conversation, whose domains may be long. */
const bodyLimit = 512 * 1024;

const createGroup = {
  method: "POST",
  path: "/conversations",
  auth: "user",
  scope: "write:conversations",
  summary: "Create a group",
  description:
    "With users whom you are connected to or share a team with; a group of your team may have any of its " +
    "members. An MLS group begins without others: you add them by a commit.",
  bodyLimit,
  responseHeaders,
  errors: [
    "client-error",
    "non-empty-member-list",
    "mls-not-enabled",
    "operation-denied",
    "not-connected",
    "not-a-team-member",
    "access-denied",
    "missing-legalhold-consent",
    "channels-not-enabled",
    "not-mls-conversation",
  ],
} as const satisfies Partial<Route>;

const createGroupV0 = {
  ...createGroup,
  errors: [...createGroup.errors, "federation-connection-refused"],
} as const satisfies Partial<Route>;

const createOneToOne = {
  method: "POST",
  auth: "user",
  scope: "write:conversations",
  summary: "Create the conversation with another user",
  description:
    "With a user whom you are connected to or, if you name a team, another member of it. 200 if it already " +
    "exists.",
  body: schemas.newOneToOne,
  responseHeaders,
  errors: [
    "client-error",
    "invalid-op",
    "not-a-team-member",
    "operation-denied",
    "no-team",
    "non-binding-team-members",
    "not-connected",
    "missing-legalhold-consent",
  ],
} as const satisfies Partial<Route>;

const createSelf = {
  method: "POST",
  path: "/conversations/self",
  auth: "user",
  summary: "Create the conversation with yourself",
  description: "200 if it already exists.",
  responseHeaders,
  errors: ["not-found"],
} as const satisfies Partial<Route>;

const getMlsSelf = {
  method: "GET",
  path: "/conversations/mls-self",
  auth: "user",
  summary: "Get the MLS conversation with yourself",
  description: "Created on the first request. Only your own devices can be in its group.",
  requires: [mlsEnabled],
  errors: ["not-found"],
} as const satisfies Partial<Route>;

const getMlsOneToOne = {
  method: "GET",
  auth: "user",
  summary: "Get the MLS conversation with another user",
  description:
    "With a user whom you are connected to or share a team with. It is not stored until the first commit.",
  params: schemas.userPath,
  requires: [mlsEnabled],
  errors: ["not-connected"],
} as const satisfies Partial<Route>;

export const routes = defineRoutes({
  "create-group-conversation@v9": {
    ...createGroup,
    since: 9,
    body: schemas.newGroup,
    responses: { 201: schemas.createdGroup, 533: unreachableBackends },
  },
  "create-group-conversation": {
    ...createGroup,
    since: 8,
    until: 8,
    body: schemas.newGroupV8,
    responses: { 201: schemas.createdGroupV6, 533: unreachableBackends },
  },
  "create-group-conversation-v6": {
    ...createGroup,
    since: 6,
    until: 7,
    body: schemas.newGroupV3,
    responses: { 201: schemas.createdGroupV6, 533: unreachableBackends },
  },
  "create-group-conversation-v4": {
    ...createGroup,
    since: 4,
    until: 5,
    body: schemas.newGroupV3,
    responses: { 201: schemas.createdGroupV4, 533: unreachableBackends },
  },
  "create-group-conversation-v3": {
    ...createGroupV0,
    since: 3,
    until: 3,
    body: schemas.newGroupV3,
    responses: { 201: conversationViewV3 },
  },
  "create-group-conversation-v0": {
    ...createGroupV0,
    until: 2,
    body: schemas.newGroupV2,
    responses: { 201: conversationViewV2 },
  },
  "create-one-to-one-conversation": {
    ...createOneToOne,
    path: "/one2one-conversations",
    since: 7,
    responses: { 200: conversationViewV3, 201: conversationViewV3 },
  },
  "create-one-to-one-conversation-v3": {
    ...createOneToOne,
    path: "/conversations/one2one",
    since: 3,
    until: 6,
    responses: { 200: conversationViewV3, 201: conversationViewV3 },
  },
  "create-one-to-one-conversation-v0": {
    ...createOneToOne,
    path: "/conversations/one2one",
    until: 2,
    responses: { 200: conversationViewV2, 201: conversationViewV2 },
  },
  "create-self-conversation": {
    ...createSelf,
    since: 6,
    responses: { 200: conversationView, 201: conversationView },
  },
  "create-self-conversation-v3": {
    ...createSelf,
    since: 3,
    until: 5,
    responses: { 200: conversationViewV3, 201: conversationViewV3 },
  },
  "create-self-conversation-v0": {
    ...createSelf,
    until: 2,
    responses: { 200: conversationViewV2, 201: conversationViewV2 },
  },
  "get-mls-self-conversation": { ...getMlsSelf, since: 6, responses: { 200: conversationView } },
  "get-mls-self-conversation-v5": {
    ...getMlsSelf,
    since: 5,
    until: 5,
    responses: { 200: conversationViewV3 },
  },
  "get-one-to-one-mls-conversation": {
    ...getMlsOneToOne,
    path: "/one2one-conversations/{usr_domain}/{usr}",
    since: 7,
    query: schemas.keysQuery,
    responses: { 200: schemas.mlsOneToOneView },
  },
  "get-one-to-one-mls-conversation-v6": {
    ...getMlsOneToOne,
    path: "/conversations/one2one/{usr_domain}/{usr}",
    since: 6,
    until: 6,
    responses: { 200: schemas.mlsOneToOneView },
  },
  "get-one-to-one-mls-conversation-v5": {
    ...getMlsOneToOne,
    path: "/conversations/one2one/{usr_domain}/{usr}",
    since: 5,
    until: 5,
    responses: { 200: conversationViewV3 },
  },
});
