import { socketParts } from "#shared/events/sockets/socket-parts.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { FloodWatch } from "./flood-watch.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  ...socketParts,
  watch: FloodWatch,
});
