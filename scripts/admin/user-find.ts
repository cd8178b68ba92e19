import { user } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { findUsers } from "./find-user.ts";

export const userFind = defineCommand({
  name: "user find",
  summary: "Find a user by id, address, phone number or handle",
  examples: ["user find ada@example.com", "user find +491701234567 --stage prod", "user find @ada --json"],
  effect: "reads",
  arguments: { user },
  async run({ api }, { user: text }) {
    const found = await findUsers(api, text);
    if (found.length === 0) throw new CommandError(`There is no user ${text}`);
    return found.map(({ id, name, handle, email, phone, team }) => ({
      id,
      name,
      handle,
      email,
      phone,
      team,
    }));
  },
});
