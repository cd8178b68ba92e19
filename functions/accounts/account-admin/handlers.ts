import { contactIdentity, emailIdentity } from "#shared/accounts/identity.ts";
import { toSelfProfile } from "#shared/accounts/profiles/self-profile.ts";
import { addressMark, describeAudited } from "#shared/platform/audit/audited.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { toUtcSecond } from "#shared/platform/http/wire-types.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { changeStatus } from "./change-status.ts";
import { checkBlocked } from "./check-blocked.ts";
import { deleteUser } from "./delete-user.ts";
import type { Deps } from "./deps.ts";
import { findByIdentity } from "./find-by-identity.ts";
import { listBlocked } from "./list-blocked.ts";
import { listSuppressed } from "./list-suppressed.ts";
import { listUsers } from "./list-users.ts";
import { logOutUser } from "./log-out-user.ts";
import { createHandlers as createProvisionedHandlers } from "./provisioned/handlers.ts";
import { readActivity, readStatus, readTeamId } from "./read-account.ts";
import { replaceRichInfo } from "./replace-rich-info.ts";
import type { routes } from "./routes.ts";
import { createHandlers as createSearchIndexHandlers } from "./search-index/handlers.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { accounts, clock, settings, suppressions } = deps;
  return {
    ...createProvisionedHandlers(deps),
    ...createSearchIndexHandlers(deps),

    "i-get-user-status": async ({ params }) => ({ body: { status: await readStatus(deps, params.uid) } }),

    "i-put-user-status": async ({ params, body }) => {
      await changeStatus(deps, params.uid, body.status);
      return {};
    },

    "i-log-out-user": async ({ params }) => {
      await logOutUser(deps, params.uid);
      return {};
    },

    "i-get-user-activity": async ({ params }) => ({ body: await readActivity(deps, params.uid) }),

    "i-delete-user": async ({ params }) => ({ status: (await deleteUser(deps, params.uid)) ? 202 : 200 }),

    "i-get-user-team": async ({ params }) => ({ body: await readTeamId(deps, params.uid) }),

    "i-put-rich-info": async ({ params, body }) => {
      await replaceRichInfo(deps, params.uid, body.rich_info);
      return {};
    },

    "i-get-blacklist": async ({ query }) => {
      await checkBlocked(deps, query);
      return {};
    },

    "i-post-blacklist": async ({ query }) => {
      const identity = contactIdentity(query, settings);
      describeAudited({ target: { address: addressMark(identity.key) } });
      await change(deps, async () => ({ writes: accounts.block(identity) }));
      return {};
    },

    "i-delete-blacklist": async ({ query }) => {
      const identity = contactIdentity(query, settings);
      describeAudited({ target: { address: addressMark(identity.key) } });
      await change(deps, async () => ({ writes: accounts.unblock(identity) }));
      return {};
    },

    "i-list-users": async ({ query: { size: limit, start: after, from, to } }) => ({
      body: await listUsers(deps, { limit, after, from, to }),
    }),

    "i-find-provisioned-users": async ({ query }) => {
      const { issuer, name_id: nameId, external_id: externalId, team: teamId } = query;
      const found = await findByIdentity(deps, { issuer, nameId, externalId, teamId });
      return { body: found.map((account) => toSelfProfile(account, settings, clock())) };
    },

    "i-list-blocked-addresses": async ({ query }) => ({
      body: await listBlocked(deps, { limit: query.size, after: query.start?.after }),
    }),

    "i-list-mail-suppressions": async ({ query: { size: limit, start: after, from, to } }) => ({
      body: await listSuppressed(deps, { limit, after, from, to }),
    }),

    "i-get-mail-suppression": async ({ query }) => {
      const suppression = await suppressions.get(emailIdentity(query.email, settings).value);
      if (suppression === undefined) throw new ApiError("not-found");
      const { address, reason, expiresAtSeconds } = suppression;
      return { body: { email: address, reason, expires_at: toUtcSecond(expiresAtSeconds * 1000) } };
    },

    "i-delete-mail-suppression": async ({ query }) => {
      const { value } = emailIdentity(query.email, settings);
      describeAudited({ target: { address: addressMark(value) } });
      await suppressions.lift(value);
      return {};
    },
  };
}
