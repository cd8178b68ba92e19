import { routes as guestLinks } from "./guest-links/routes.ts";
import { routes as roles } from "./roles/routes.ts";

export const routes = { ...guestLinks, ...roles };
