import { type PermissionSet, roleOf } from "#shared/teams/permissions.ts";
import type { Profile } from "./find-user.ts";
import type { InternalApi } from "./internal-api.ts";

const pageSize = 100;

interface Member {
  readonly user: string;
  readonly permissions: PermissionSet;
}

/**
 * Members of a team with their profiles, in the order of their ids, up to a number.
 * @throws CommandError if there is no such team
 */
export async function membersOf(
  api: InternalApi,
  team: string,
  limit: number,
): Promise<{ members: (Profile & { readonly role: string })[]; hasMore: boolean }> {
  const path = `/i/teams/${encodeURIComponent(team)}`;
  await api.read(`${path}/name`);
  const members: (Profile & { readonly role: string })[] = [];
  let pagingState: string | undefined;
  let hasMore = true;
  while (hasMore && members.length < limit) {
    const maxResults = String(Math.min(pageSize, limit - members.length));
    const page = await api.read(`${path}/members`, {
      query: { maxResults, ...(pagingState !== undefined && { pagingState }) },
    });
    members.push(...(await withProfiles(api, page.members)));
    ({ hasMore, pagingState } = page);
  }
  return { members, hasMore };
}

async function withProfiles(api: InternalApi, members: readonly Member[]) {
  const ids = members.map(({ user }) => user).join(",");
  const profiles: Profile[] = ids === "" ? [] : await api.read("/i/users", { query: { ids } });
  const byId = new Map(profiles.map((profile) => [profile.id, profile]));
  return members.flatMap(({ user, permissions }) => {
    const profile = byId.get(user);
    return profile === undefined ? [] : [{ ...profile, role: roleOf(permissions) ?? "none of the roles" }];
  });
}
