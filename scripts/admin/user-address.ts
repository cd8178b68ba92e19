import { user } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { theUser } from "./find-user.ts";
import { InternalApi } from "./internal-api.ts";

export const userSetAddress = defineCommand({
  name: "user set-address",
  summary: "Change the email address of a user, once the code sent to the new address is entered",
  examples: [
    "user set-address @ada ada@example.org --stage prod",
    "user set-address @ada ada@example.org --verified --stage prod",
  ],
  effect: "changes",
  arguments: { user, email: { kind: "email", description: "the new address" } },
  options: {
    verified: { kind: "flag", description: "change it immediately, because you know that it is the user's" },
  },
  async run({ api }, values) {
    const { id } = await theUser(api, values.user);
    const mode = values.verified ? "auto_activate" : "send_activation_email";
    const changed = await api.call("PUT", "/i/self/email", {
      ...InternalApi.as(id),
      query: { email_activation: mode },
      json: { email: values.email },
    });
    return { email: values.email, changes: changed === undefined ? "now" : "once its code is entered" };
  },
});

export const userSetHandle = defineCommand({
  name: "user set-handle",
  summary: "Change the handle of a user",
  examples: ["user set-handle ada@example.com ada --stage prod"],
  effect: "changes",
  arguments: { user, handle: { kind: "text", description: "the new handle" } },
  async run({ api }, values) {
    const { id } = await theUser(api, values.user);
    await api.call("PUT", `/i/users/${id}/handle`, { json: { handle: values.handle.replace(/^@/, "") } });
  },
});
