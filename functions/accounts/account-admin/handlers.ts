import { currentStatus } from "#shared/accounts/account.ts";
import { AccountNotFoundError } from "#shared/accounts/account-errors.ts";
import { deleteAccount } from "#shared/accounts/delete-account.ts";
import { contactIdentity } from "#shared/accounts/identity.ts";
import { normalizeRichInfo } from "#shared/accounts/profiles/rich-info.ts";
import { toSelfProfile } from "#shared/accounts/profiles/self-profile.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { splitToFit } from "#shared/platform/http/answer-size.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { LastOwnerError } from "#shared/teams/team-errors.ts";
import { changeStatus } from "./change-status.ts";
import type { Deps } from "./deps.ts";
import { findAccounts } from "./find-accounts.ts";
import { createHandlers as createProvisionedHandlers } from "./provisioned/handlers.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { accounts, dynamo, clock, richInfo, settings } = deps;
  return {
    ...createProvisionedHandlers(deps),

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
      const isDeleted = await deleteAccount(deps, params.uid).catch(
        answer(LastOwnerError, "no-self-delete-for-team-owner"),
      );
      if (isDeleted === undefined) throw new ApiError("not-found");
      return { status: isDeleted ? 202 : 200 };
    },

    "i-get-user-team": async ({ params }) => {
      const account = await accounts.get(params.uid);
      if (account?.teamId === undefined) throw new ApiError("no-team");
      return { body: account.teamId };
    },

    "i-get-users": async ({ query: { includePendingInvitations, ...keys } }) => {
      const found = await findAccounts(deps, {
        ...keys,
        includesPendingInvitations: includePendingInvitations,
      });
      const profiles = found.map((account) => toSelfProfile(account, settings, clock()));
      return { body: splitToFit(profiles).fitting };
    },

    "i-put-rich-info": async ({ params, body }) => {
      const info = normalizeRichInfo(body.rich_info, settings);
      const writes = [accounts.requireNotDeleted(params.uid), richInfo.put(params.uid, info)];
      await transact(dynamo, writes).catch(answer(AccountNotFoundError, "not-found"));
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
