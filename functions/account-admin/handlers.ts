import { currentStatus } from "#shared/data/account/account.ts";
import { contactIdentity } from "#shared/data/account/identity.ts";
import { ApiError } from "#shared/errors.ts";
import type { Handlers } from "#shared/http/route.ts";
import { changeStatus } from "./change-status.ts";
import type { Deps } from "./deps.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { accounts, clock, settings } = deps;
  return {
    "i-get-user-status": async ({ params }) => {
      const account = await accounts.get(params.uid);
      if (account === undefined) throw new ApiError("not-found");
      return { body: { status: currentStatus(account, clock()) } };
    },

    "i-put-user-status": async ({ params, body }) => {
      await changeStatus(deps, params.uid, body.status);
      return {};
    },

    "i-get-blacklist": async ({ query }) => {
      if (!(await accounts.isBlocked(contactIdentity(query, settings)))) throw new ApiError("not-found");
      return {};
    },

    "i-post-blacklist": async ({ query }) => {
      await accounts.block(contactIdentity(query, settings));
      return {};
    },

    "i-delete-blacklist": async ({ query }) => {
      await accounts.unblock(contactIdentity(query, settings));
      return {};
    },
  };
}
