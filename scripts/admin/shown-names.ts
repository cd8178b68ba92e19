import { profilesOf } from "./find-members.ts";
import type { InternalApi } from "./internal-api.ts";

/** Names of users by their ids. The deleted have none. */
export async function namesOfUsers(
  api: InternalApi,
  ids: Iterable<string | undefined>,
): Promise<ReadonlyMap<string, string>> {
  const known = [...new Set(ids)].filter((id) => id !== undefined);
  const profiles = await profilesOf(api, known);
  return new Map(
    profiles.filter(({ status }) => status !== "deleted").map(({ id, name }) => [id, name] as const),
  );
}
