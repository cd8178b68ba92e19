import { team } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { pathOf, theTeam } from "./team.ts";

export const teamDelete = defineCommand({
  name: "team delete",
  summary: "Delete a team with the accounts of its members for good, in the background",
  examples: ['team delete 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --stage prod --yes "Analytical Engines"'],
  effect: "changes",
  confirms: "the team's name",
  arguments: { team },
  options: { force: { kind: "flag", description: "even if it has members besides its owner" } },
  async run({ api, confirm }, values) {
    const { id, name } = await theTeam(api, values.team);
    await confirm(name, `the team ${id}`);
    await api.call("DELETE", pathOf(id), { query: values.force ? { force: "true" } : {} });
  },
});
