import { routes as roles } from "./roles/routes.ts";

export const routes = { ...roles };
