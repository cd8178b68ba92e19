import { user } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { theUser } from "./find-user.ts";

export const userDelete = defineCommand({
  name: "user delete",
  summary: "Delete a user for good",
  examples: ['user delete ada@example.com --stage prod --yes "Ada Lovelace"', "user delete @ada --dry-run"],
  effect: "changes",
  confirms: "the user's name",
  arguments: { user },
  async run({ api, confirm }, values) {
    const { id, name } = await theUser(api, values.user);
    await confirm(name, `the user ${id}`);
    await api.call("DELETE", `/i/users/${id}`);
  },
});
