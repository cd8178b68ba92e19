import type { InternalApi } from "./internal-api.ts";
import { namesOfUsers } from "./shown-names.ts";

export type Entry = Readonly<Record<string, unknown>> & { readonly time: string; readonly event: string };

/** Maximum number of teams whose names are read: that takes a request each. */
const maxTeams = 20;

/**
 * Records with the names of the people, teams and deleted conversations that they are about, which come first, as far as
 * they still exist.
 */
export async function withNames(api: InternalApi, entries: readonly Entry[]): Promise<Entry[]> {
  const parts = entries.map(partsOf);
  const teams = new Set(parts.flatMap(({ target }) => target.tid ?? []));
  const [users, ...named] = await Promise.all([
    namesOfUsers(
      api,
      parts.flatMap(({ actor, target }) => [actor.user, ...userIdsIn(target)]),
    ),
    ...[...teams].slice(0, maxTeams).map(async (id) => [id, await nameOfTeam(api, id)] as const),
  ]);
  const teamNames = new Map(named);
  return entries.map(({ time, event, ...entry }, index) => {
    const { actor = {}, target = {}, changes = {} } = parts[index] ?? {};
    const others = userIdsIn(target).filter((id) => id !== actor.user);
    const whom = [
      changes.name?.before,
      ...others.map((id) => users.get(id)),
      target.tid && teamNames.get(target.tid),
    ].filter((name) => name);
    return {
      time,
      event,
      who: whoIs(actor, users),
      whom: whom.length === 0 ? undefined : whom.join(", "),
      ...entry,
    };
  });
}

type Texts = Readonly<Record<string, string | undefined>>;

const partsOf = ({ actor, target, changes }: Entry) => ({
  actor: Object(actor) as Texts,
  target: Object(target) as Texts,
  changes: Object(changes) as Readonly<Record<string, Texts | undefined>>,
});

/** Fields of a target that name users. */
const userFields = ["uid", "uids", "user", "joined", "left"];

const idPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

const userIdsIn = (target: Texts): string[] =>
  userFields.flatMap((field) => target[field]?.split(" ") ?? []).filter((id) => idPattern.test(id));

/** An operator, by the end of the ARN, on whose behalf or not; or the name of a user. */
function whoIs({ principal, user }: Texts, users: ReadonlyMap<string, string>): string | undefined {
  const name = user && users.get(user);
  const operator = principal?.split(":").at(-1);
  return operator && name ? `${operator} for ${name}` : (operator ?? name);
}

async function nameOfTeam(api: InternalApi, id: string): Promise<string | undefined> {
  const found = await api.find(`/i/teams/${id}`);
  return found?.team.name;
}
