import type { Handlers } from "#shared/platform/http/route.ts";
import { completeReset } from "./complete-reset.ts";
import type { Deps } from "./deps.ts";
import { findPendingReset } from "./find-pending-reset.ts";
import { requestReset } from "./request-reset.ts";
import { resetTarget } from "./reset-target.ts";
import type { routes } from "./routes.ts";

/** Last version that reveals that a reset is pending; later ones respond as if there were none. */
const lastRevealingVersion = 5;

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "post-password-reset": async ({ body, sourceIp, version }) => {
      await requestReset(deps, { ...body, revealsPending: version <= lastRevealingVersion }, sourceIp);
      return {};
    },

    "post-password-reset-complete": async ({ body: { code, password, key, ...address }, sourceIp }) => {
      const target = key ?? (await resetTarget(deps, address)).key;
      await completeReset(deps, { code, password, key: target }, sourceIp);
      return {};
    },

    "i-get-password-reset-code": async ({ query }) => ({ body: await findPendingReset(deps, query) }),
  };
}
