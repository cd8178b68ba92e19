import type { Command } from "./command.ts";
import { theUser, whom } from "./find-user.ts";

export const userLogOut: Command = {
  name: "user log-out",
  usage: whom,
  summary: "Log a user out everywhere; devices and the access of apps stay",
  examples: ["user log-out ada@example.com --stage prod"],
  async run({ api }, args) {
    const { id } = await theUser(api, args);
    await api.call("POST", `/i/users/${id}/logout`);
    return undefined;
  },
};
