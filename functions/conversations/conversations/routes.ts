import { routes as roles } from "./roles/routes.ts";
import { routes as settings } from "./settings/routes.ts";
import { routes as teamConversations } from "./team-conversations/routes.ts";

export const routes = {
  ...roles,
  ...settings,
  ...teamConversations,
};
