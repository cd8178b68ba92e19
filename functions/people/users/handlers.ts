import { type Account, currentStatus } from "#shared/accounts/account.ts";
import { isUsableHandle, parseHandle } from "#shared/accounts/handle.ts";
import { handleIdentity } from "#shared/accounts/identity.ts";
import type { RichInfo } from "#shared/accounts/profiles/rich-info.ts";
import type { UserProfile } from "#shared/accounts/profiles/user-profile.ts";
import { splitToFit } from "#shared/platform/http/answer-size.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { checkLocalDomain, isLocalDomain } from "#shared/platform/http/local-domain.ts";
import type { Actor, Handlers } from "#shared/platform/http/route.ts";
import type { Deps } from "./deps.ts";
import { findProfiles, findReadableProfiles } from "./find-profiles.ts";
import type { routes } from "./routes.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const { accounts, settings } = deps;

  async function profileOf(userId: string, { actor }: { actor: Actor }) {
    const [profile] = await findProfiles(deps, actor.userId, [userId]);
    if (profile === undefined) throw new ApiError("not-found");
    return profile;
  }

  return {
    "get-user-qualified": async ({ actor, params }) => {
      return { body: await profileOf(params.uid, { actor }) };
    },

    "get-supported-protocols": async ({ actor, params }) => {
      const { supported_protocols } = await profileOf(params.uid, { actor });
      return { body: supported_protocols };
    },

    "list-users-by-unqualified-ids-or-handles": async ({ actor, query }) => {
      const ids = query.ids ?? (await findHandleOwners(deps, actor.userId, query.handles ?? []));
      const { fitting } = splitToFit(await findProfiles(deps, actor.userId, ids));
      if (fitting.length === 0) throw new ApiError("not-found");
      return { body: fitting };
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

    "check-user-handle": async ({ params }) => {
      const claim = await accounts.findClaim(parseHandle(params.handle, settings));
      if (claim === undefined) throw new ApiError("not-found");
      return { body: [] };
    },

    "check-user-handles": async ({ body }) => ({
      body: await findFreeHandles(deps, body.handles, body.return),
    }),

    "get-user-by-handle-qualified": async ({ actor, params }) => {
      const [owner] = await findHandleOwners(deps, actor.userId, [params.handle]);
      if (owner === undefined) throw new ApiError("not-found");
      return { body: { user: owner, qualified_user: { domain: settings.domain, id: owner } } };
    },
  };
}

/** Find the first `limit` candidates that are valid handles and free. */
async function findFreeHandles(
  { accounts, settings }: Deps,
  candidates: readonly string[],
  limit: number,
): Promise<string[]> {
  const usable = [...new Set(candidates)].filter((handle) => isUsableHandle(handle, settings));
  const claims = await accounts.findClaims(usable.map(handleIdentity));
  return usable.filter((_, index) => claims[index] === undefined).slice(0, limit);
}

/**
 * Read the rich info of a user. Only members of the user's team may read it, the user included.
 *
 * @throws ApiError `not-found` unless both exist and neither is suspended; `insufficient-permissions` unless they are in
 *   the same team
 * @see operation `get-rich-info`
 */
async function readRichInfo(
  { accounts, clock, richInfo }: Deps,
  viewerId: string,
  userId: string,
): Promise<RichInfo> {
  const [read, stored] = await Promise.all([accounts.getMany([viewerId, userId]), richInfo.get(userId)]);
  const [viewer, user] = [viewerId, userId].map((id) => read.find((account) => account.userId === id));
  const isPresent = (account: Account | undefined) =>
    account !== undefined && ["active", "ephemeral"].includes(currentStatus(account, clock()));
  if (!isPresent(viewer) || !isPresent(user)) throw new ApiError("not-found");
  if (user?.teamId === undefined || user.teamId !== viewer?.teamId) {
    throw new ApiError("insufficient-permissions");
  }
  return stored ?? { version: 0, fields: [] };
}

interface QualifiedId {
  readonly domain: string;
  readonly id: string;
}

/** Either ids or handles. */
interface ListUsersCommand {
  readonly ids?: readonly QualifiedId[];
  readonly handles?: readonly { readonly domain: string; readonly handle: string }[];
}

/**
 * Find the profiles of users, as many as fit into one answer. The ids of the others are reported as failed, as are
 * accounts that cannot be read and users of other domains.
 *
 * @throws ApiError `federation-not-enabled` for a handle of another domain, because there is no id to report
 * @see operation `list-users-by-ids-or-handles`
 */
async function listUsers(
  deps: Deps,
  viewerId: string,
  { ids = [], handles = [] }: ListUsersCommand,
): Promise<{ found: UserProfile[]; failed: QualifiedId[] }> {
  for (const { domain } of handles) checkLocalDomain(domain, deps.settings);
  const isLocal = ({ domain }: QualifiedId) => isLocalDomain(domain, deps.settings);
  const owners = await findHandleOwners(
    deps,
    viewerId,
    handles.map(({ handle }) => handle),
  );
  const local = ids.filter(isLocal).map(({ id }) => id);
  const { profiles, unreadable } = await findReadableProfiles(deps, viewerId, [...local, ...owners]);
  const { fitting, rest } = splitToFit(profiles);
  return {
    found: fitting,
    failed: [
      ...ids.filter((id) => !isLocal(id)),
      ...rest.map(({ qualified_id }) => qualified_id),
      ...unreadable.map((id) => ({ domain: deps.settings.domain, id })),
    ],
  };
}

/**
 * Find the ids of the users who have the handles, as far as the viewer may find them: with `searchSameTeamOnly`,
 * members of other teams are left out.
 */
async function findHandleOwners(
  { accounts, settings: { searchSameTeamOnly } }: Deps,
  viewerId: string,
  handles: readonly string[],
): Promise<string[]> {
  if (handles.length === 0) return [];
  const [claims, viewer] = await Promise.all([
    accounts.findClaims(handles.map(handleIdentity)),
    searchSameTeamOnly ? accounts.get(viewerId) : undefined,
  ]);
  return claims
    .filter((claim) => claim !== undefined)
    .filter(({ status }) => status !== "pending-invitation")
    .filter(({ teamId }) => !searchSameTeamOnly || teamId === undefined || teamId === viewer?.teamId)
    .map(({ userId }) => userId);
}
