import { app, user } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { theUser } from "./find-user.ts";
import { InternalApi } from "./internal-api.ts";

export const userGrantsList = defineCommand({
  name: "user grants list",
  summary: "List the apps that have access to the account of a user",
  examples: ["user grants list ada@example.com --stage prod"],
  effect: "reads",
  arguments: { user },
  async run({ api }, values) {
    const { id } = await theUser(api, values.user);
    const apps: Grants[] = await api.read("/v9/oauth/applications", InternalApi.as(id));
    return apps.map(({ id: app, name, sessions }) => ({
      app,
      name,
      sessions: sessions.length,
      newest: sessions
        .map(({ created_at }) => created_at)
        .toSorted()
        .at(-1),
    }));
  },
});

interface Grants {
  readonly id: string;
  readonly name: string;
  readonly sessions: readonly { readonly created_at: string }[];
}

export const userGrantsRevoke = defineCommand({
  name: "user grants revoke",
  summary: "Withdraw an app's access to the account of a user; access tokens stay valid until they expire",
  examples: ["user grants revoke ada@example.com 5c1a7e42-93b8-4d0f-8e6a-2f9b3c4d5e6f --stage prod"],
  effect: "changes",
  arguments: { user, app },
  async run({ api }, values) {
    const { id } = await theUser(api, values.user);
    await api.call("DELETE", `/i/users/${id}/oauth/applications/${encodeURIComponent(values.app)}`);
  },
});
