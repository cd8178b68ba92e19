import { routes as contacts } from "./contacts/routes.ts";
import { routes as directory } from "./directory/routes.ts";

export const routes = { ...contacts, ...directory };
