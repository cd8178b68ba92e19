import { api, internalApi } from "./api.ts";
import type { Team } from "./teams.ts";
import type { Apis, User } from "./users.ts";

export const sharedApis: Apis = { publicApi: api, internalApi };

/** Path of a feature of a team. */
export const featurePath = ({ id }: Pick<Team, "id">, name: string) => `/teams/${id}/features/${name}`;

/** Get a feature, as the team's owner or somebody else. */
export const getFeature = (
  team: Team,
  name: string,
  { token }: User = team.owner,
  { publicApi } = sharedApis,
) => publicApi("GET", featurePath(team, name), { token });

/** Change a feature, as the team's owner or somebody else. */
export const putFeature = (
  team: Team,
  name: string,
  json: unknown,
  { user = team.owner, version = "", apis = sharedApis }: { user?: User; version?: string; apis?: Apis } = {},
) => apis.publicApi("PUT", version + featurePath(team, name), { token: user.token, json });

/** Change a feature as the operator. */
export const operateFeature = (
  team: Pick<Team, "id">,
  name: string,
  json?: unknown,
  { method = json === undefined ? "PUT" : "PATCH", apis = sharedApis } = {},
) => apis.internalApi(method, `/i${featurePath(team, name)}`, { json });

/** Let a team change a feature. */
export const unlockFeature = (team: Pick<Team, "id">, name: string) =>
  operateFeature(team, name, { lockStatus: "unlocked" });
