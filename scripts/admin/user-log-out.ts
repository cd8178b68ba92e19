import { user } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { theUser } from "./find-user.ts";

export const userLogOut = defineCommand({
  name: "user log-out",
  summary: "Log a user out everywhere; devices and the access of apps stay",
  examples: ["user log-out ada@example.com --stage prod"],
  effect: "changes",
  arguments: { user },
  async run({ api }, values) {
    const { id } = await theUser(api, values.user);
    await api.call("POST", `/i/users/${id}/logout`);
  },
});
