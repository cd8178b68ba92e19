import { routes as messages } from "./messages/routes.ts";
import { routes as roles } from "./roles/routes.ts";
import { routes as settings } from "./settings/routes.ts";
import { routes as teamConversations } from "./team-conversations/routes.ts";

export const routes = {
  ...messages,
  ...roles,
  ...settings,
  ...teamConversations,
};
