import { routes as messages } from "./messages/routes.ts";
import { routes as roles } from "./roles/routes.ts";

export const routes = { ...messages, ...roles };
