import * as z from "zod";
import { handlePattern } from "#shared/accounts/handle.ts";
import { limit, team as teamOption, user } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { membersOf, profilesOf } from "./find-members.ts";
import { findUsers, noUser, type Profile } from "./find-user.ts";
import { ApiFailure, type InternalApi } from "./internal-api.ts";
import { allOf } from "./list-command.ts";
import { usersNamed } from "./users-named.ts";

export const userFind = defineCommand({
  name: "user find",
  summary:
    "Find a user by id, address, phone number or handle, or by a part of the name; by the name at an identity " +
    "provider or in a directory; or find the members of a team",
  examples: [
    "user find ada@example.com",
    "user find +491701234567 --stage prod",
    "user find @ada --json",
    'user find "Zoe Q" --stage prod',
    "user find --team 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60",
    "user find --issuer https://idp.example.com/metadata --name-id ada@example.com",
    "user find --name-id ada@example.com --stage prod",
    "user find --external-id E-1815 --team 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60",
  ],
  effect: "reads",
  arguments: {
    user: { ...user, description: `${user.description}; or a part of the name`, isOptional: true },
  },
  options: {
    team: { ...teamOption, description: "find the members of the team with this id" },
    issuer: { kind: "text", placeholder: "ENTITY-ID", description: "the identity provider; by default any" },
    "name-id": { kind: "text", description: "the user's name there (NameID)" },
    "external-id": { kind: "text", description: "the user's id in the team's directory" },
    limit,
  },
  async run({ api, note }, { user: text, team, limit: most, ...names }) {
    const { issuer, "name-id": nameId, "external-id": externalId } = names;
    const isNamed = [issuer, nameId, externalId].some((name) => name !== undefined);
    if ((text === undefined) === (team === undefined && !isNamed))
      throw new CommandError("Name either a user, or a team, or an identity with or without a team");
    if (text !== undefined) {
      const isKey = isAddress(text) || handlePattern.test(text.toLowerCase());
      const keyed = isKey ? await findUsers(api, text) : [];
      const found = keyed.length > 0 || isAddress(text) ? keyed : await ofName(api, text.trim(), most);
      if (found.length === 0) throw noUser(text);
      return found.map(toRow);
    }
    if (isNamed) {
      if (nameId !== undefined && issuer === undefined)
        return shown(await usersCalled(api, nameId, team), nameId);
      const found = await api.read("/i/users/by-identity", {
        query: defined({ issuer, name_id: nameId, external_id: externalId, team }),
      });
      return shown(found, nameId ?? externalId);
    }
    const members = await allOf(note, membersOf(api, team ?? "", most));
    const roles = new Map(members.map(({ user: id, role }) => [id, role]));
    const profiles = await profilesOf(api, [...roles.keys()]);
    return profiles.map((profile) => ({ ...toRow(profile), role: roles.get(profile.id) }));
  },
});

/** @throws CommandError, which says so if the caller may not list users */
const ofName = (api: InternalApi, text: string, most: number): Promise<Profile[]> =>
  usersNamed(api, text, most).catch((error: Error) => {
    if (!(error instanceof ApiFailure) || error.status !== 403) throw error;
    throw new CommandError(
      `There is no user ${text}: nobody has this handle, and you may not search names (role auditor)`,
    );
  });

/** Whether a text cannot be a part of a name: an address, a number, a handle with its `@`, or an id. */
const isAddress = (text: string) => /[@+]/.test(text) || z.uuid().safeParse(text).success;

const mostTeams = 100_000;

/** Users with a name at any identity provider, in one team or in all; one request for each provider. */
async function usersCalled(api: InternalApi, nameId: string, team: string | undefined): Promise<Profile[]> {
  const all =
    team === undefined ? (await api.list("/i/teams/list", "teams", mostTeams)).entries : [{ id: team }];
  const found = new Map<string, Profile>();
  for (const { id } of all) {
    const { providers } = await api.read(`/i/identity-providers/${id}`);
    for (const { metadata, extraInfo } of providers) {
      for (const issuer of [metadata.issuer, ...extraInfo.oldIssuers]) {
        const query = { issuer, name_id: nameId, team: id };
        const users: Profile[] = await api.read("/i/users/by-identity", { query });
        for (const user of users) found.set(user.id, user);
      }
    }
  }
  return [...found.values()];
}

const defined = (query: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(
    Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

/** @throws CommandError if nobody was found */
function shown(found: readonly Profile[], text = "") {
  if (found.length === 0) throw new CommandError(`There is no user ${text}`);
  return found.map(toRow);
}

const toRow = ({ id, name, status, handle, email, phone, team }: Profile) => ({
  id,
  name,
  status,
  handle,
  email,
  phone,
  team,
});
