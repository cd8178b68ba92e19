import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { checkPolicy } from "./check-policy.ts";
import type { routes } from "./routes.ts";

export const createHandlers = (deps: Deps): Handlers<typeof routes> => ({
  "guard-legalhold-policy-conflicts": async ({ body: { glhProtectee, glhUserClients } }) => {
    if (glhProtectee.tag === "ProtectedUser")
      await checkPolicy(deps, { userId: glhProtectee.contents, peerIds: Object.keys(glhUserClients) });
    return {};
  },
});
