import type { Handlers } from "#shared/http/route.ts";
import { completeReset } from "./complete-reset.ts";
import type { Deps } from "./deps.ts";
import { findPendingReset } from "./find-pending-reset.ts";
import { requestReset } from "./request-reset.ts";
import { resetTarget } from "./reset-target.ts";
import type { routes } from "./routes.ts";

/** Last version that tells a caller that a reset is pending; later ones answer as if nothing were. */
const lastTellingVersion = 5;

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  return {
    "post-password-reset": async ({ body, sourceIp, version }) => {
      await requestReset(deps, { ...body, tellsPending: version <= lastTellingVersion }, sourceIp);
      return {};
    },

    "post-password-reset-complete": async ({ body: { code, password, key, ...address } }) => {
      await completeReset(deps, { code, password, key: key ?? (await resetTarget(deps, address)).key });
      return {};
    },

    "post-password-reset-key-deprecated": async ({ body, params }) => {
      await completeReset(deps, { ...body, key: params.key });
      return {};
    },

    "i-get-password-reset-code": async ({ query }) => ({ body: await findPendingReset(deps, query) }),
  };
}
