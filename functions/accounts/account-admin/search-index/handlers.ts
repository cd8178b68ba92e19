import { fullIndexUpdate } from "#shared/accounts/index-update.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "../deps.ts";
import { refreshIndex } from "./refresh-index.ts";
import type { routes } from "./routes.ts";

export const createHandlers = (deps: Deps): Handlers<typeof routes> => ({
  "i-refresh-index": async () => {
    await refreshIndex(deps);
    return {};
  },

  "i-reindex": async () => {
    await change(deps, async () => ({ messages: [fullIndexUpdate(deps.outbox)] }));
    return {};
  },
});
