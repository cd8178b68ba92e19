import type * as z from "zod";
import {
  conversationView,
  conversationViewV2,
  conversationViewV3,
  toConversationViewV2,
  toConversationViewV3,
} from "#shared/conversations/conversation-view.ts";
import { accessRolesOf } from "#shared/conversations/legacy-access-role.ts";
import { mlsEnabled } from "#shared/devices/mls/mls-enabled.ts";
import { keyFormatQuery } from "#shared/devices/mls/removal-keys.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { defineRoutes } from "#shared/platform/http/route.ts";
import { unreachableBackends } from "../schemas.ts";
import type { createdGroup, mlsOneToOneView, newGroupV2 } from "./schemas.ts";
import * as schemas from "./schemas.ts";

type CreatedGroup = z.input<typeof createdGroup>;

/** Reads a group whose access roles may be named by a legacy one. */
const fromNewGroupV2 = ({
  body: { access_role: legacy, access_role_v2: roles, ...body },
}: {
  readonly body: z.output<typeof newGroupV2>;
}) => ({ body: { ...body, access_role: roles ?? (legacy ? [...accessRolesOf(legacy)] : undefined) } });

/** Shows a new group to its creator, who always joins it before version 9. */
function toCreatedGroupV6({ members: { self, others }, ...group }: CreatedGroup) {
  if (self === undefined) throw new Error(`The creator has not joined ${group.id}`);
  return { ...group, members: { self, others } };
}
const toCreatedGroupV3 = (group: CreatedGroup) => toConversationViewV3(toCreatedGroupV6(group));
const toCreatedGroupV2 = (group: CreatedGroup) => toConversationViewV2(toCreatedGroupV6(group));

/** Refuses without the names of the domains that cannot be reached. */
function refuseRemoteUsers(): never {
  throw new ApiError("federation-connection-refused");
}

/** Shows the conversation without removal keys. */
const toMlsOneToOneV5 = ({ conversation }: z.input<typeof mlsOneToOneView>) =>
  toConversationViewV3(conversation);

const responseHeaders = { Location: "Id of the conversation" };
/** Bytes for a list of all users of a large conversation, whose domains may be long. */
const bodyLimit = 512 * 1024;

const createGroupErrors = [
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
] as const;

/** Before version 4, the refusal because of other domains does not name them. */
const refusingRemoteUsers = { errors: [...createGroupErrors, "federation-connection-refused"] } as const;

const ensuredV2 = {
  until: 2,
  responses: { 200: conversationViewV2, 201: conversationViewV2 },
  answer: { 200: toConversationViewV2, 201: toConversationViewV2 },
} as const;

/** Before version 7, removal keys have one format. */
const mlsOneToOneV6 = {
  path: "/conversations/one2one/{usr_domain}/{usr}",
  query: undefined,
  request: () => ({ query: { format: "raw" as const } }),
} as const;

export const routes = defineRoutes({
  "create-group-conversation@v9": {
    method: "POST",
    audit: "conversation.created",
    path: "/conversations",
    since: 9,
    auth: "user",
    scope: "write:conversations",
    summary: "Create a group",
    description:
      "With users whom you are connected to or share a team with; a group of your team may have any of its " +
      "members. An MLS group begins without others: you add them by a commit.",
    body: schemas.newGroup,
    bodyFormat: "json-int64",
    bodyLimit,
    responses: { 201: schemas.createdGroup, 533: unreachableBackends },
    responseHeaders,
    errors: createGroupErrors,
    olderForms: {
      "create-group-conversation": {
        since: 8,
        until: 8,
        body: schemas.newGroupV8,
        responses: { 201: schemas.createdGroupV6, 533: unreachableBackends },
        answer: { 201: toCreatedGroupV6 },
      },
      "create-group-conversation-v6": {
        since: 6,
        until: 7,
        body: schemas.newGroupV3,
        responses: { 201: schemas.createdGroupV6, 533: unreachableBackends },
        answer: { 201: toCreatedGroupV6 },
      },
      "create-group-conversation-v4": {
        since: 4,
        until: 5,
        body: schemas.newGroupV3,
        responses: { 201: schemas.createdGroupV4, 533: unreachableBackends },
        answer: { 201: toCreatedGroupV3 },
      },
      "create-group-conversation-v3": {
        ...refusingRemoteUsers,
        since: 3,
        until: 3,
        body: schemas.newGroupV3,
        responses: { 201: conversationViewV3 },
        answer: { 201: toCreatedGroupV3, 533: refuseRemoteUsers },
      },
      "create-group-conversation-v0": {
        ...refusingRemoteUsers,
        until: 2,
        body: schemas.newGroupV2,
        responses: { 201: conversationViewV2 },
        request: fromNewGroupV2,
        answer: { 201: toCreatedGroupV2, 533: refuseRemoteUsers },
      },
    },
  },
  "create-one-to-one-conversation": {
    method: "POST",
    audit: "conversation.created",
    path: "/one2one-conversations",
    since: 7,
    auth: "user",
    scope: "write:conversations",
    summary: "Create the conversation with another user",
    description:
      "With a user whom you are connected to or, if you name a team, another member of it. 200 if it already " +
      "exists.",
    body: schemas.newOneToOne,
    responses: { 200: conversationViewV3, 201: conversationViewV3 },
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
    olderForms: {
      "create-one-to-one-conversation-v3": { since: 3, until: 6, path: "/conversations/one2one" },
      "create-one-to-one-conversation-v0": { ...ensuredV2, path: "/conversations/one2one" },
    },
  },
  "create-self-conversation": {
    method: "POST",
    audit: "conversation.created",
    path: "/conversations/self",
    since: 6,
    auth: "user",
    summary: "Create the conversation with yourself",
    description:
      "200 if it already exists. It need not be created: every account has it, and whatever names it first finds it. Its id " +
      "is that of the user, and messages to it reach your other devices.",
    responses: { 200: conversationView, 201: conversationView },
    responseHeaders,
    errors: ["not-found"],
    olderForms: {
      "create-self-conversation-v3": {
        since: 3,
        until: 5,
        responses: { 200: conversationViewV3, 201: conversationViewV3 },
        answer: { 200: toConversationViewV3, 201: toConversationViewV3 },
      },
      "create-self-conversation-v0": ensuredV2,
    },
  },
  "get-mls-self-conversation": {
    method: "GET",
    path: "/conversations/mls-self",
    since: 6,
    auth: "user",
    summary: "Get the MLS conversation with yourself",
    description: "Created on the first request. Only your own devices can be in its group.",
    refusesHead: true,
    requires: [mlsEnabled],
    responses: { 200: conversationView },
    errors: ["not-found"],
    olderForms: {
      "get-mls-self-conversation-v5": {
        since: 5,
        until: 5,
        responses: { 200: conversationViewV3 },
        answer: { 200: toConversationViewV3 },
      },
    },
  },
  "get-one-to-one-mls-conversation": {
    method: "GET",
    path: "/one2one-conversations/{usr_domain}/{usr}",
    since: 7,
    auth: "user",
    summary: "Get the MLS conversation with another user",
    description:
      "With a user whom you are connected to or share a team with. It is not stored until the first commit.",
    params: schemas.userPath,
    query: keyFormatQuery,
    requires: [mlsEnabled],
    responses: { 200: schemas.mlsOneToOneView },
    errors: ["not-connected"],
    olderForms: {
      "get-one-to-one-mls-conversation-v6": { ...mlsOneToOneV6, since: 6, until: 6 },
      "get-one-to-one-mls-conversation-v5": {
        ...mlsOneToOneV6,
        since: 5,
        until: 5,
        responses: { 200: conversationViewV3 },
        answer: { 200: toMlsOneToOneV5 },
      },
    },
  },
});
