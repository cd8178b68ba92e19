import { user } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { theUser } from "./find-user.ts";
import { ApiFailure } from "./internal-api.ts";
import { isOnlyOwner } from "./team.ts";

export const userDelete = defineCommand({
  name: "user delete",
  summary: "Delete a user for good",
  examples: ['user delete ada@example.com --stage prod --yes "Ada Lovelace"', "user delete @ada --dry-run"],
  effect: "changes",
  confirms: "the user's name",
  arguments: { user },
  async run({ api, confirm }, values) {
    const { id, name, team } = await theUser(api, values.user);
    if (team !== undefined && (await isOnlyOwner(api, team, id))) throw onlyOwner(name, team);
    await confirm(name, `the user ${id}`);
    try {
      await api.call("DELETE", `/i/users/${id}`);
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.label !== "no-self-delete-for-team-owner") throw error;
      // The other owner has left meanwhile.
      throw onlyOwner(name, team);
    }
  },
});

const onlyOwner = (name: string, team: string | undefined) =>
  new CommandError(
    `${name} is the only owner of the team ${team}: give somebody else the role owner by team members set-role, or ` +
      "delete the team by team delete",
  );
