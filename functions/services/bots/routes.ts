import { routes as botApi } from "./bot-api/routes.ts";
import { routes as conversationBots } from "./conversation-bots/routes.ts";

export const routes = { ...conversationBots, ...botApi };
