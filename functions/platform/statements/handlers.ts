import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "./deps.ts";
import type { routes } from "./routes.ts";
import { publishedKeys, signStatement } from "./sign-statement.ts";

export const createHandlers = (deps: Deps): Handlers<typeof routes> => ({
  "i-sign-statement": async ({ params }) => ({ body: await signStatement(deps, params) }),

  "i-list-statement-keys": async () => ({ body: await publishedKeys(deps) }),
});
