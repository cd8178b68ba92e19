import { roleOf } from "#shared/teams/permissions.ts";
import { CommandError } from "./command-error.ts";
import { InternalApi } from "./internal-api.ts";

/** Path of a team on the internal API. */
export const pathOf = (team: string) => `/i/teams/${encodeURIComponent(team)}`;

/** Id and name of a team. @throws CommandError if there is none */
export async function theTeam(api: InternalApi, id: string): Promise<{ id: string; name: string }> {
  const found = await api.read(pathOf(id));
  return found.team;
}

/** Whether a team would have no owner without a user. A dry run has to know it, too. */
export async function isOnlyOwner(api: InternalApi, team: string, userId: string): Promise<boolean> {
  const { members }: { members: Admin[] } = await api.read(`${pathOf(team)}/members/admins`);
  const owners = members.filter(({ permissions }) => roleOf(permissions) === "owner");
  return owners.length === 1 && owners[0]?.user === userId;
}

/** An owner or admin in the list of a team. */
export interface Admin {
  readonly user: string;
  readonly permissions: Parameters<typeof roleOf>[0];
}

/**
 * Acts as an admin of a team, for operations that the internal API offers only on behalf of a user.
 * @throws CommandError if there is none
 */
export async function asAdminOf(api: InternalApi, team: string): Promise<ReturnType<typeof InternalApi.as>> {
  const { members } = await api.read(`${pathOf(team)}/members/admins`);
  if (members[0] === undefined) throw new CommandError(`The team ${team} has no admin`);
  return InternalApi.as(members[0].user);
}
