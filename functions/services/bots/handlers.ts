import type { Handlers } from "#shared/platform/http/route.ts";
import { createHandlers as createBotApiHandlers } from "./bot-api/handlers.ts";
import { createHandlers as createConversationBotHandlers } from "./conversation-bots/handlers.ts";
import type { Deps } from "./deps.ts";
import type { routes } from "./family.ts";

export const createHandlers = (deps: Deps): Handlers<typeof routes> => ({
  ...createConversationBotHandlers(deps),
  ...createBotApiHandlers(deps),
});
