import type { Handlers } from "#shared/http/route.ts";
import type { Deps } from "./deps.ts";
import type { routes } from "./routes.ts";

export function createHandlers(_deps: Deps): Handlers<typeof routes> {
  return {};
}
