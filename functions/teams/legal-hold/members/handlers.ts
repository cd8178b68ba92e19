import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import type { routes } from "./routes.ts";

export const createHandlers = (_deps: Deps): Handlers<typeof routes> => ({});
