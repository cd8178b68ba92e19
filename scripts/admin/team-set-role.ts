import { permissionsOf, role } from "#shared/teams/permissions.ts";
import { team, user } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { theUser } from "./find-user.ts";
import { ApiFailure } from "./internal-api.ts";
import { isOnlyOwner, pathOf, theTeam } from "./team.ts";

export const teamMembersSetRole = defineCommand({
  name: "team members set-role",
  summary: "Give a member of a team another role, such as owner",
  examples: [
    "team members set-role 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 ada@example.com owner --stage prod",
    "team members set-role 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 @ada member --dry-run",
  ],
  effect: "changes",
  arguments: { team, user, role: { kind: "choice", choices: role.options, description: "the new role" } },
  async run({ api }, values) {
    const [{ id: teamId }, member] = await Promise.all([
      theTeam(api, values.team),
      theUser(api, values.user),
    ]);
    const newRole = role.parse(values.role);
    if (newRole !== "owner" && (await isOnlyOwner(api, teamId, member.id))) throw onlyOwner(member.name);
    const json = { member: { user: member.id, permissions: permissionsOf(newRole) } };
    try {
      await api.call("PUT", `${pathOf(teamId)}/members`, { json });
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      if (error.label === "no-team-member")
        throw new CommandError(`${member.name} is not a member of the team ${teamId}`);
      throw error.label === "access-denied" ? onlyOwner(member.name) : error;
    }
  },
});

const onlyOwner = (name: string) =>
  new CommandError(`${name} is the only owner of the team: give somebody else the role owner first`);
