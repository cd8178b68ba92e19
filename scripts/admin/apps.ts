import { app } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { listCommand } from "./list-command.ts";

const path = "/i/oauth/clients";
const pathOf = (id: string) => `${path}/${encodeURIComponent(id)}`;

const name = { kind: "text", description: "name on the consent page" } as const;
const redirect = {
  kind: "url",
  description: "where the browser returns to: https, a loopback address, or a private scheme of the app",
} as const;

const options = {
  further: {
    kind: "url",
    placeholder: "URL",
    isRepeated: true,
    description: "a further redirect URL, of the same kinds; repeat it for several",
  },
} as const;

export const appsList = listCommand(
  {
    name: "apps list",
    summary: "List the OAuth apps",
    examples: ["apps list --stage prod", "apps list --json"],
  },
  { path, field: "clients" },
);

export const appsShow = defineCommand({
  name: "apps show",
  summary: "Show an OAuth app",
  examples: ["apps show 5c1a7e42-93b8-4d0f-8e6a-2f9b3c4d5e6f --stage prod"],
  effect: "reads",
  arguments: { app },
  run: ({ api }, values) => api.read(pathOf(values.app)),
});

export const appsRegister = defineCommand({
  name: "apps register",
  summary: "Register an OAuth app; its secret is shown only now",
  examples: [
    "apps register Calendar https://app.example.com/callback --stage prod",
    "apps register Calendar https://app.example.com/callback --further com.example.app:/callback --stage prod",
  ],
  effect: "changes",
  arguments: { name, redirect },
  options,
  run: async ({ api }, values) => credentials(await api.call("POST", path, { json: description(values) })),
});

export const appsChange = defineCommand({
  name: "apps change",
  summary:
    "Change the name and redirect URLs of an OAuth app; further ones that are not repeated are removed",
  examples: [
    "apps change 5c1a7e42-93b8-4d0f-8e6a-2f9b3c4d5e6f Calendar https://app.example.com/back --stage prod",
  ],
  effect: "changes",
  arguments: { app, name, redirect },
  options,
  run: ({ api }, values) => api.call("PUT", pathOf(values.app), { json: description(values) }),
});

export const appsRotateSecret = defineCommand({
  name: "apps rotate-secret",
  summary: "Give an OAuth app a new secret; the old one stays valid for a while, or ends if it has leaked",
  examples: [
    "apps rotate-secret 5c1a7e42-93b8-4d0f-8e6a-2f9b3c4d5e6f --stage prod",
    "apps rotate-secret 5c1a7e42-93b8-4d0f-8e6a-2f9b3c4d5e6f --leaked --stage prod",
  ],
  effect: "changes",
  arguments: { app },
  options: { leaked: { kind: "flag", description: "end the old secret immediately" } },
  async run({ api }, values) {
    const rotate = () => api.call("POST", `${pathOf(values.app)}/secret`);
    // Only the newest of the former secrets stays valid.
    if (values.leaked) await rotate();
    return credentials(await rotate());
  },
});

export const appsDelete = defineCommand({
  name: "apps delete",
  summary: "Delete an OAuth app; its refresh tokens end, access tokens stay valid until they expire",
  examples: ["apps delete 5c1a7e42-93b8-4d0f-8e6a-2f9b3c4d5e6f --stage prod --yes Calendar"],
  effect: "changes",
  confirms: "the app's name",
  arguments: { app },
  async run({ api, confirm }, values) {
    const { application_name } = await api.read(pathOf(values.app));
    await confirm(application_name, `the app ${values.app}`);
    await api.call("DELETE", pathOf(values.app));
  },
});

const description = (values: { name: string; redirect: string; further: readonly string[] }) => ({
  application_name: values.name,
  redirect_url: values.redirect,
  ...(values.further.length > 0 && { further_redirect_urls: values.further }),
});

const credentials = (answer?: { client_id: string; client_secret: string }) =>
  answer && { client_id: answer.client_id, client_secret: answer.client_secret };
