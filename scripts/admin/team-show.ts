import { roleOf } from "#shared/teams/permissions.ts";
import { team as teamArgument } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { ApiFailure, type InternalApi } from "./internal-api.ts";
import { namesOfUsers } from "./shown-names.ts";
import { type Admin, pathOf } from "./team.ts";

export const teamShow = defineCommand({
  name: "team show",
  summary:
    "Show a team: status, size and free places, owners and admins, legal hold, search visibility, identity providers",
  examples: ["team show 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --stage prod"],
  effect: "reads",
  arguments: { team: teamArgument },
  async run({ api }, values) {
    const path = pathOf(values.team);
    const { team, status, status_time } = await api.read(path);
    const [{ teamSize }, { members }, legalHold, { providers }, visibility, obstacle] = await Promise.all([
      api.read(`${path}/size`),
      api.read(`${path}/members/admins`),
      api.read(`${path}/features/legalhold`),
      api.read(`/i/identity-providers/${team.id}`),
      api.read(`${path}/search-visibility`),
      obstacleToJoin(api, path),
    ]);
    const names = await namesOfUsers(
      api,
      members.map(({ user }: Admin) => user),
    );
    return {
      id: team.id,
      name: team.name,
      status,
      status_since: status_time,
      members: teamSize,
      more_members: obstacle ?? "allowed",
      legal_hold: legalHold.status,
      search_visibility: visibility.search_visibility,
      identity_providers: providers.length,
      admins: members.map(({ user, permissions }: Admin) => ({
        user,
        name: names.get(user),
        role: roleOf(permissions),
      })),
    };
  },
});

/** The reason why nobody else can join a team; undefined if somebody can. */
async function obstacleToJoin(api: InternalApi, path: string): Promise<string | undefined> {
  try {
    await api.read(`${path}/members/check`);
    return undefined;
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 403) return error.label;
    throw error;
  }
}
