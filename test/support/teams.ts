import { randomUUID } from "node:crypto";
import { permissionsOf, type Role } from "#shared/teams/permissions.ts";
import { type ApiAnswer, api, internalApi } from "./api.ts";
import { type SeededProfile, seedUser } from "./seeded-users.ts";
import { type Apis, newEmail, somePassword, type User } from "./users.ts";

/** A team with its founder, created directly in the tables. */
export interface Team {
  readonly id: string;
  readonly name: string;
  readonly owner: User;
  /** Add a new user as a member, by default invited by the owner. */
  add(role?: Role, options?: SeededProfile & { email?: string; invitedBy?: string }): Promise<User>;
}

/** Create a team with an active owner. */
export async function newTeam(
  { name = "Engines", owner: profile = {} }: { name?: string; owner?: SeededProfile } = {},
  apis?: Apis,
): Promise<Team> {
  const teamId = randomUUID();
  const owner = await seedUser(newEmail(), somePassword, profile, apis?.data, { teamId, name });
  return {
    id: teamId,
    name,
    owner,
    add: (role = "member", { email = newEmail(), invitedBy = owner.id, ...member } = {}) =>
      seedUser(email, somePassword, member, apis?.data, { teamId, role, invitedBy }),
  };
}

/** Create a team of the shared stack whose members need a second factor to log in. */
export async function teamWithSecondFactor(): Promise<Team> {
  const team = await newTeam();
  const path = `/i/teams/${team.id}/features/sndFactorPasswordChallenge`;
  await internalApi("PUT", `${path}/unlocked`);
  const { status } = await internalApi("PUT", path, { json: { status: "enabled" } });
  if (status !== 200) throw new Error(`Requiring a second factor was answered ${status}`);
  return team;
}

/** Create a new team, and a user who is a member of it. */
export async function newMember(
  { email, ...profile }: SeededProfile & { email?: string } = {},
  apis?: Apis,
): Promise<User> {
  const team = await newTeam({}, apis);
  return team.add("member", { email, ...profile });
}

/** Let a user join a team, as a member. */
export async function joinTeam(
  { id: teamId }: Pick<Team, "id">,
  { id: user }: Pick<User, "id">,
  apis: Pick<Apis, "internalApi"> = { internalApi },
): Promise<void> {
  const json = { member: { user, permissions: permissionsOf("member") } };
  const { status } = await apis.internalApi("POST", `/i/teams/${teamId}/members`, { json });
  if (status !== 200) throw new Error(`Joining a team was answered ${status}`);
}

/** Change the permissions of a member. */
export const changePermissions = (
  team: Pick<Team, "id">,
  { token }: Pick<User, "token">,
  { id }: Pick<User, "id">,
  permissions: unknown,
  { publicApi = api }: Partial<Apis> = {},
): Promise<ApiAnswer> =>
  publicApi("PUT", `/teams/${team.id}/members`, { token, json: { member: { user: id, permissions } } });

/** Remove a member, with the password of the user who removes them. */
export const removeMember = (
  team: Pick<Team, "id">,
  { token, password }: Pick<User, "token" | "password">,
  { id }: Pick<User, "id">,
  { publicApi = api }: Partial<Apis> = {},
): Promise<ApiAnswer> =>
  publicApi("DELETE", `/teams/${team.id}/members/${id}`, { token, json: { password } });
