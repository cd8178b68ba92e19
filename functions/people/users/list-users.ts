import type { UserProfile } from "#shared/accounts/profiles/user-profile.ts";
import { splitToFit } from "#shared/platform/http/answer-size.ts";
import { checkLocalDomain, isLocalDomain } from "#shared/platform/http/local-domain.ts";
import type { Deps } from "./deps.ts";
import { findHandleOwners } from "./find-handle-owners.ts";
import { findReadableProfiles } from "./find-profiles.ts";

interface QualifiedId {
  readonly domain: string;
  readonly id: string;
}

/** Either ids or handles. */
export interface ListUsersCommand {
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
export async function listUsers(
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
