import { currentStatus } from "#shared/data/account/account.ts";
import { contactIdentity } from "#shared/data/account/identity.ts";
import { transact } from "#shared/data/conditions.ts";
import { normalizeRichInfo } from "#shared/data/rich-info/rich-info.ts";
import { deleteAccount } from "#shared/erasure/delete-account.ts";
import { ApiError } from "#shared/errors.ts";
import type { Handlers } from "#shared/http/route.ts";
import { toSelfProfile } from "#shared/schemas/self-profile.ts";
import { changeStatus } from "./change-status.ts";
import type { Deps } from "./deps.ts";
import { findAccounts } from "./find-accounts.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { accounts, client, clock, richInfo, settings } = deps;
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

    "i-delete-user": async ({ params }) => {
      const isDeleted = await deleteAccount(deps, params.uid);
      if (isDeleted === undefined) throw new ApiError("not-found");
      return { status: isDeleted ? 202 : 200 };
    },

    "i-get-users": async ({ query: { includePendingInvitations, ...keys } }) => {
      const found = await findAccounts(deps, {
        ...keys,
        includesPendingInvitations: includePendingInvitations,
      });
      return { body: found.map((account) => toSelfProfile(account, settings, clock())) };
    },

    "i-put-rich-info": async ({ params, body }) => {
      const info = normalizeRichInfo(body.rich_info, settings);
      await transact(client, [accounts.requireNotDeleted(params.uid), richInfo.put(params.uid, info)]);
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
