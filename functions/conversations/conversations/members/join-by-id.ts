import { ApiError } from "#shared/platform/http/api-error.ts";
import type { ChangeCommand } from "../change-conversation.ts";
import type { Deps } from "../deps.ts";
import { joinConversation } from "../join.ts";

/**
 * Join a conversation that is open to those who know its id.
 *
 * @returns the event; undefined when the user is a member already
 * @throws ApiError those of `joinConversation`
 * @see operation `join-conversation-by-id-unqualified`
 */
export const joinById = (deps: Deps, command: ChangeCommand) =>
  joinConversation(deps, command, () => ({
    check: ({ access }) => {
      if (!access.includes("link")) throw new ApiError("access-denied");
    },
  }));
