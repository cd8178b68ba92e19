import type { SubconversationKey } from "#shared/conversations/subconversation-store.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { getGroupInfo } from "../mls/get-group-info.ts";
import { deleteSubconversation } from "./delete-subconversation.ts";
import { getSubconversation, toSubconversationView } from "./get-subconversation.ts";
import { leaveSubconversation } from "./leave-subconversation.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "get-subconversation": async ({ actor: { userId }, params }) => {
      const found = await getSubconversation(deps, { userId, ...toKey(params) });
      return { body: toSubconversationView(found, deps.settings) };
    },
    "delete-subconversation": async ({ actor: { userId }, params, body }) => {
      const group = { groupId: body.group_id.toString("base64"), epoch: body.epoch };
      await deleteSubconversation(deps, { userId, ...toKey(params), ...group });
      return { body: [] };
    },
    "get-subconversation-group-info": async ({ actor: { userId }, params: { cid, subconv } }) => ({
      body: await getGroupInfo(deps, { conversationId: cid, userId }, subconv),
    }),
    "leave-subconversation": async ({ actor, params }) => {
      await leaveSubconversation(deps, { actor, ...toKey(params) });
      return {};
    },
  };
}

const toKey = ({ cid, subconv }: { cid: string; subconv: string }): SubconversationKey => ({
  conversationId: cid,
  subconversationId: subconv,
});
