import { contactIdentity } from "#shared/accounts/identity.ts";
import { toSelfProfile } from "#shared/accounts/profiles/self-profile.ts";
import { splitToFit } from "#shared/platform/http/answer-size.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { changeStatus } from "./change-status.ts";
import { checkBlocked } from "./check-blocked.ts";
import { deleteUser } from "./delete-user.ts";
import type { Deps } from "./deps.ts";
import { findAccounts } from "./find-accounts.ts";
import { createHandlers as createProvisionedHandlers } from "./provisioned/handlers.ts";
import { readStatus, readTeamId } from "./read-account.ts";
import { replaceRichInfo } from "./replace-rich-info.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { accounts, clock, settings } = deps;
  return {
    ...createProvisionedHandlers(deps),

    "i-get-user-status": async ({ params }) => ({ body: { status: await readStatus(deps, params.uid) } }),

    "i-put-user-status": async ({ params, body }) => {
      await changeStatus(deps, params.uid, body.status);
      return {};
    },

    "i-delete-user": async ({ params }) => ({ status: (await deleteUser(deps, params.uid)) ? 202 : 200 }),

    "i-get-user-team": async ({ params }) => ({ body: await readTeamId(deps, params.uid) }),

    "i-get-users": async ({ query: { includePendingInvitations, ...keys } }) => {
      const found = await findAccounts(deps, {
        ...keys,
        includesPendingInvitations: includePendingInvitations,
      });
      const profiles = found.map((account) => toSelfProfile(account, settings, clock()));
      return { body: splitToFit(profiles).fitting };
    },

    "i-put-rich-info": async ({ params, body }) => {
      await replaceRichInfo(deps, params.uid, body.rich_info);
      return {};
    },

    "i-get-blacklist": async ({ query }) => {
      await checkBlocked(deps, query);
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
