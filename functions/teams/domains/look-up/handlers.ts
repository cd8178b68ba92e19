import type { Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "../deps.ts";
import { formsIn, toRedirectView } from "../registration-view.ts";
import { findRedirect } from "./find-redirect.ts";
import type { routes } from "./routes.ts";

export const createHandlers = (deps: Deps): Handlers<typeof routes> => ({
  "get-domain-registration": async ({ body, version }) => {
    const { redirect, isDueToAccount } = await findRedirect(deps, body.email);
    return {
      body: {
        ...toRedirectView(redirect, formsIn(version)),
        due_to_existing_account: isDueToAccount ? true : undefined,
      },
    };
  },
});
