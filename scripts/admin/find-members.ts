import { chunks } from "#shared/platform/chunks.ts";
import { roleOf } from "#shared/teams/permissions.ts";
import type { Profile } from "./find-user.ts";
import type { InternalApi, Paging } from "./internal-api.ts";
import { pathOf, theTeam } from "./team.ts";

const paging: Paging = {
  size: "maxResults",
  next: ({ hasMore, pagingState }) => (hasMore ? { pagingState } : undefined),
};

/** Members of a team in the order of their ids, up to a number. @throws CommandError if there is no such team */
export async function membersOf(api: InternalApi, team: string, limit: number) {
  const { id } = await theTeam(api, team);
  const { entries, hasMore } = await api.list(`${pathOf(id)}/members`, "members", limit, { paging });
  const members = entries.map(({ permissions, ...member }) => ({
    ...member,
    role: permissions && (roleOf(permissions) ?? "none of the roles"),
  }));
  return { entries: members, hasMore };
}

const idsInRequest = 100;

/** Profiles by ids, in that order; those of others are left out. */
export async function profilesOf(api: InternalApi, ids: readonly string[]): Promise<Profile[]> {
  const profiles = new Map<string, Profile>();
  for (const some of chunks(ids, idsInRequest)) {
    const found: Profile[] = await api.read("/i/users", { query: { ids: some.join(",") } });
    for (const profile of found) profiles.set(profile.id, profile);
  }
  return ids.map((id) => profiles.get(id)).filter((profile) => profile !== undefined);
}
