import type { Handlers } from "#shared/platform/http/route.ts";
import { type ChangeCommand, eventReply } from "../common/change-conversation.ts";
import type { Deps } from "../deps.ts";
import { rename } from "./rename.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const changeName = async (command: ChangeCommand & { name: string }) =>
    eventReply(await rename(deps, command));

  return {
    "update-conversation-name": ({ actor, params, body }) =>
      changeName({ actor, conversationId: params.cid, ...body }),
    "update-conversation-name-unqualified": ({ actor, params, body }) =>
      changeName({ actor, conversationId: params.cid, ...body }),
    "update-conversation-name-deprecated": ({ actor, params, body }) =>
      changeName({ actor, conversationId: params.cid, ...body }),
  };
}
