import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "./deps.ts";
import type { routes } from "./family.ts";
import { createHandlers as createInvitationHandlers } from "./invitations/handlers.ts";
import { createHandlers as createMemberHandlers } from "./members/handlers.ts";
import { createHandlers as createPageHandlers } from "./pages/handlers.ts";
import { createHandlers as createSearchVisibilityHandlers } from "./search-visibility/handlers.ts";
import { createHandlers as createTeamHandlers } from "./team/handlers.ts";

export const createHandlers = (deps: Deps): Handlers<typeof routes> => ({
  ...createTeamHandlers(deps),
  ...createMemberHandlers(deps),
  ...createInvitationHandlers(deps),
  ...createSearchVisibilityHandlers(deps),
  ...createPageHandlers(deps),
});
