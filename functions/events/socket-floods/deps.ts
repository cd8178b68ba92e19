import { createSocketDeps } from "#shared/events/sockets/socket-deps.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { FloodWatch } from "./flood-watch.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  return {
    ...runtime,
    ...createSocketDeps(storeContext(runtime), runtime),
    watch: new FloodWatch(),
  };
}
