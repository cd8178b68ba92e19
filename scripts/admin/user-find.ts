import { type Command, only } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { findUsers, whom } from "./find-user.ts";

export const userFind: Command = {
  name: "user find",
  usage: whom,
  summary: "Find a user by id, verified email address, verified phone number in E.164 form, or handle",
  examples: ["user find ada@example.com", "user find +491701234567 --stage prod", "user find @ada --json"],
  async run({ api }, args) {
    const text = only(args, whom);
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
};
