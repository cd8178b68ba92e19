import type { Handlers } from "#shared/platform/http/route.ts";
import { toUtcSecond } from "#shared/platform/http/wire-types.ts";
import type { Deps } from "./deps.ts";
import type { routes } from "./routes.ts";

export function createHandlers({ clock, settings }: Deps): Handlers<typeof routes> {
  const { setEnableMLS, setRestrictUserCreation } = settings;
  return {
    "get-system-settings-unauthorized": () => ({ body: { setRestrictUserCreation } }),
    "get-system-settings": () => ({ body: { setRestrictUserCreation, setEnableMls: setEnableMLS } }),
    "get-server-time": () => ({ body: { time: toUtcSecond(clock()) } }),
    "onboarding-v0": () => ({ body: { results: [], "auto-connects": [] } }),
  };
}
