import type { Handlers } from "#shared/platform/http/route.ts";
import { createHandlers as createCreationHandlers } from "./creation/handlers.ts";
import { withSelfConversations } from "./creation/self-conversations.ts";
import type { Deps } from "./deps.ts";
import type { routes } from "./family.ts";
import { createHandlers as createGuestLinkHandlers } from "./guest-links/handlers.ts";
import { createHandlers as createMemberHandlers } from "./members/handlers.ts";
import { createHandlers as createMessageHandlers } from "./messages/handlers.ts";
import { createHandlers as createMlsHandlers } from "./mls/handlers.ts";
import { handlers as olderAssetHandlers } from "./older-assets/handlers.ts";
import { createHandlers as createReadingHandlers } from "./reading/handlers.ts";
import { createHandlers as createRoleHandlers } from "./roles/handlers.ts";
import { createHandlers as createSettingHandlers } from "./settings/handlers.ts";
import { createHandlers as createSubconversationHandlers } from "./subconversations/handlers.ts";
import { createHandlers as createTeamConversationHandlers } from "./team-conversations/handlers.ts";

export const createHandlers = (deps: Deps): Handlers<typeof routes> =>
  withSelfConversations(deps, {
    ...createCreationHandlers(deps),
    ...createGuestLinkHandlers(deps),
    ...createMemberHandlers(deps),
    ...createMessageHandlers(deps),
    ...createMlsHandlers(deps),
    ...olderAssetHandlers,
    ...createReadingHandlers(deps),
    ...createRoleHandlers(deps),
    ...createSettingHandlers(deps),
    ...createSubconversationHandlers(deps),
    ...createTeamConversationHandlers(deps),
  });
