import { defineRoutes, type Route } from "#shared/platform/http/route.ts";
import { changesLocalConversation } from "../common/local-conversation.ts";
import { conversationPath, qualifiedConversationPath } from "../common/schemas.ts";
import * as schemas from "./schemas.ts";

const rename = {
  method: "PUT",
  auth: "user",
  summary: "Rename a conversation",
  body: schemas.nameUpdate,
  responses: { 200: schemas.renameEvent, 204: null },
  errors: ["client-error", "action-denied", "invalid-op", "no-conversation"],
} as const satisfies Partial<Route>;

export const routes = defineRoutes({
  "update-conversation-name": {
    ...rename,
    path: "/conversations/{domain}/{cid}/name",
    params: qualifiedConversationPath,
    requires: [changesLocalConversation],
  },
  "update-conversation-name-unqualified": {
    ...rename,
    path: "/conversations/{cid}/name",
    until: 7,
    params: conversationPath,
  },
  "update-conversation-name-deprecated": {
    ...rename,
    path: "/conversations/{cid}",
    params: conversationPath,
  },
});
