import { routes as discovery } from "./discovery/routes.ts";
import { routes as groups } from "./groups/routes.ts";
import { routes as teamPage } from "./team-page/routes.ts";
import { routes as tokens } from "./tokens/routes.ts";
import { routes as users } from "./users/routes.ts";

export const routes = {
  ...tokens,
  ...discovery,
  ...users,
  ...groups,
  ...teamPage,
};
