import { hideOtherMethods } from "#shared/platform/http/route.ts";
import { routes as invitations } from "./invitations/routes.ts";
import { routes as members } from "./members/routes.ts";
import { routes as pages } from "./pages/routes.ts";
import { routes as searchVisibility } from "./search-visibility/routes.ts";
import { routes as team } from "./team/routes.ts";

export const routes = hideOtherMethods({
  ...team,
  ...members,
  ...invitations,
  ...searchVisibility,
  ...pages,
});
