import { limit, team } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { membersOf, profilesOf } from "./find-members.ts";
import { allOf } from "./list-command.ts";

export const teamMembers = defineCommand({
  name: "team members",
  summary: "List the members of a team with their names and roles",
  examples: [
    "team members 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --stage prod",
    "team members 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --limit 10000 --json",
  ],
  effect: "reads",
  arguments: { team },
  options: { limit },
  async run({ api, note }, values) {
    const members = await allOf(note, membersOf(api, values.team, values.limit));
    const ids = members.flatMap(({ user, created_by }) => [user, ...(created_by ? [created_by] : [])]);
    const profiles = await profilesOf(api, [...new Set(ids)]);
    const profileOf = new Map(profiles.map((profile) => [profile.id, profile]));
    return members.map(({ user, role, created_at, created_by, legalhold_status }) => ({
      user,
      name: profileOf.get(user)?.name,
      email: profileOf.get(user)?.email,
      role,
      joined: created_at,
      invited_by: created_by,
      invited_by_name: profileOf.get(created_by)?.name,
      legal_hold: legalhold_status,
    }));
  },
});
