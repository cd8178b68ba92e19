import type { Command } from "./command.ts";
import { theUser, whom } from "./find-user.ts";

export const userDelete: Command = {
  name: "user delete",
  usage: `${whom} [--yes NAME]`,
  summary: "Delete a user for good; asks for the user's name",
  examples: ['user delete ada@example.com --stage prod --yes "Ada Lovelace"', "user delete @ada --dry-run"],
  async run({ api, confirm }, args) {
    const { id, name } = await theUser(api, args);
    await confirm(name, `the user ${id}`);
    await api.call("DELETE", `/i/users/${id}`);
    return undefined;
  },
};
