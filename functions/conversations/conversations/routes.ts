import { routes as conversation } from "./conversation/routes.ts";
import { routes as roles } from "./roles/routes.ts";

export const routes = { ...conversation, ...roles };
