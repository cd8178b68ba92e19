import { user } from "./arguments.ts";
import { type Context, defineCommand } from "./command.ts";
import { theUser } from "./find-user.ts";

const setStatus =
  (status: string) =>
  async ({ api }: Context, values: { user: string }) => {
    const { id } = await theUser(api, values.user);
    await api.call("PUT", `/i/users/${id}/status`, { json: { status } });
  };

export const userSuspend = defineCommand({
  name: "user suspend",
  summary: "Suspend a user: nobody can log in, cookies are revoked, sockets close",
  examples: ["user suspend ada@example.com --stage prod", "user suspend @ada --dry-run"],
  effect: "changes",
  arguments: { user },
  run: setStatus("suspended"),
});

export const userResume = defineCommand({
  name: "user resume",
  summary: "End the suspension of a user",
  examples: ["user resume ada@example.com --stage prod"],
  effect: "changes",
  arguments: { user },
  run: setStatus("active"),
});
