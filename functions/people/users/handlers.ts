import { parseHandle } from "#shared/accounts/handle.ts";
import { splitToFit } from "#shared/platform/http/answer-size.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { checkLocalDomain } from "#shared/platform/http/local-domain.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "./deps.ts";
import { findFreeHandles } from "./find-free-handles.ts";
import { findHandleOwners } from "./find-handle-owners.ts";
import { findProfiles } from "./find-profiles.ts";
import { listUsers } from "./list-users.ts";
import { readRichInfo } from "./read-rich-info.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { accounts, settings } = deps;

  async function profileOf(userId: string, { actor }: { actor: Actor }) {
    const [profile] = await findProfiles(deps, actor.userId, [userId]);
    if (profile === undefined) throw new ApiError("not-found");
    return profile;
  }

  async function handleInfo(handle: string, { actor }: { actor: Actor }) {
    const [owner] = await findHandleOwners(deps, actor.userId, [handle]);
    if (owner === undefined) throw new ApiError("not-found");
    return { user: owner, qualified_user: { domain: settings.domain, id: owner } };
  }

  async function checkHandle({ params }: { params: { handle: string } }) {
    const claim = await accounts.findClaim(parseHandle(params.handle, settings));
    if (claim === undefined) throw new ApiError("not-found");
    return { body: [] };
  }

  async function checkHandles({ body }: { body: { handles: string[]; return: number } }) {
    return { body: await findFreeHandles(deps, body.handles, body.return) };
  }

  return {
    "get-user-qualified": async ({ actor, params }) => {
      return { body: await profileOf(params.uid, { actor }) };
    },

    "get-user-unqualified": async ({ actor, params }) => ({ body: await profileOf(params.uid, { actor }) }),

    "get-supported-protocols": async ({ actor, params }) => {
      const { supported_protocols } = await profileOf(params.uid, { actor });
      return { body: supported_protocols };
    },

    "list-users-by-unqualified-ids-or-handles": async ({ actor, query }) => {
      const ids = query.ids ?? (await findHandleOwners(deps, actor.userId, query.handles ?? []));
      return { body: orNotFound(splitToFit(await findProfiles(deps, actor.userId, ids)).fitting) };
    },

    "list-users-by-ids-or-handles-v3": async ({ actor, body }) => {
      for (const { domain } of body.qualified_ids ?? []) checkLocalDomain(domain, settings);
      const { found } = await listUsers(deps, actor.userId, {
        ids: body.qualified_ids,
        handles: body.qualified_handles,
      });
      return { body: orNotFound(found) };
    },

    "list-users-by-ids-or-handles": async ({ actor, body }) => {
      const { found, failed } = await listUsers(deps, actor.userId, {
        ids: body.qualified_ids,
        handles: body.qualified_handles,
      });
      return { body: { found, failed: failed.length > 0 ? failed : undefined } };
    },

    "get-rich-info": async ({ actor, params }) => ({
      body: await readRichInfo(deps, actor.userId, params.uid),
    }),

    "check-user-handle": checkHandle,
    "check-user-handle-v6": checkHandle,
    "check-user-handles": checkHandles,
    "check-user-handles-v6": checkHandles,

    "get-handle-info-unqualified": async ({ actor, params }) => ({
      body: await handleInfo(params.handle, { actor }),
    }),

    "get-user-by-handle-qualified": async ({ actor, params }) => {
      return { body: await handleInfo(params.handle, { actor }) };
    },
  };
}

function orNotFound<Profile>(profiles: Profile[]): Profile[] {
  if (profiles.length === 0) throw new ApiError("not-found");
  return profiles;
}
