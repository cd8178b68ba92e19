import type { Command } from "./command.ts";
import { theUser, whom } from "./find-user.ts";

const setStatus =
  (status: string): Command["run"] =>
  async ({ api }, args) => {
    const { id } = await theUser(api, args);
    await api.call("PUT", `/i/users/${id}/status`, { json: { status } });
    return undefined;
  };

export const userSuspend: Command = {
  name: "user suspend",
  usage: whom,
  summary: "Suspend a user: nobody can log in, cookies are revoked, sockets close",
  examples: ["user suspend ada@example.com --stage prod", "user suspend @ada --dry-run"],
  run: setStatus("suspended"),
};

export const userResume: Command = {
  name: "user resume",
  usage: whom,
  summary: "End the suspension of a user",
  examples: ["user resume ada@example.com --stage prod"],
  run: setStatus("active"),
};
