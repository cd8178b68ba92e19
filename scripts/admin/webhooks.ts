import { webhookKinds } from "#shared/teams/webhooks/webhook.ts";
import { limit, team } from "./arguments.ts";
import { defineCommand } from "./command.ts";

const path = "/i/webhooks";
const webhook = { kind: "id", description: "id of the webhook" } as const;
const receiver = { kind: "url", description: "HTTPS address, which must be public" } as const;
const kinds = {
  kind: "choice",
  placeholder: "KIND",
  choices: webhookKinds,
  isRepeated: true,
  description: "an event such as team.member-removed, or a group such as team.*; may be repeated",
} as const;
const ofTeam = {
  ...team,
  description: "the team that it belongs to; by default, the operator",
} as const;
const options = { team: ofTeam };

const queryOf = ({ team: id }: { team?: string | undefined }): Record<string, string> =>
  id === undefined ? {} : { team: id };
const pathOf = (id: string, more = "") => `${path}/${encodeURIComponent(id)}${more}`;

export const webhooksList = defineCommand({
  name: "webhooks list",
  summary: "List the webhooks of a team, or of the operator",
  examples: ["webhooks list --team ID --stage prod", "webhooks list --json"],
  effect: "reads",
  options,
  run: async ({ api }, values) => (await api.read(path, { query: queryOf(values) })).webhooks,
});

export const webhooksShow = defineCommand({
  name: "webhooks show",
  summary: "Show a webhook: its events, and whether its receiver accepts them",
  examples: ["webhooks show ID --team ID --stage prod"],
  effect: "reads",
  arguments: { webhook },
  options,
  run: ({ api }, values) => api.read(pathOf(values.webhook), { query: queryOf(values) }),
});

export const webhooksCreate = defineCommand({
  name: "webhooks create",
  summary: "Create a webhook that sends events to an address; the secret that signs them is shown only now",
  examples: [
    "webhooks create https://hooks.example.com/parley --kinds 'team.*' --kinds domain.verified --team ID --stage prod",
    "webhooks create https://hooks.example.com/parley --kinds team.created --stage prod",
  ],
  effect: "changes",
  arguments: { receiver },
  options: { ...options, kinds: { ...kinds, isRequired: true } },
  run: ({ api }, { receiver: url, kinds: wanted, ...values }) =>
    api.call("POST", path, { query: queryOf(values), json: { url, kinds: wanted } }),
});

export const webhooksChange = defineCommand({
  name: "webhooks change",
  summary: "Change the address or the events of a webhook, or switch it on or off",
  examples: [
    "webhooks change ID --status active --team ID --stage prod",
    "webhooks change ID --receiver https://hooks.example.com/new --stage prod",
  ],
  effect: "changes",
  arguments: { webhook },
  options: {
    ...options,
    receiver,
    kinds,
    status: {
      kind: "choice",
      choices: ["active", "off"],
      description: "events that happen while it is off are not sent later",
    },
  },
  run: ({ api }, { receiver: url, kinds: wanted = [], status, ...values }) =>
    api.call("PATCH", pathOf(values.webhook), {
      query: queryOf(values),
      json: { url, status, ...(wanted.length > 0 && { kinds: wanted }) },
    }),
});

export const webhooksRotateSecret = defineCommand({
  name: "webhooks rotate-secret",
  summary: "Give a webhook a new secret; the old one stays valid for a day, or ends if it has leaked",
  examples: ["webhooks rotate-secret ID --team ID --stage prod", "webhooks rotate-secret ID --leaked"],
  effect: "changes",
  arguments: { webhook },
  options: { ...options, leaked: { kind: "flag", description: "end the old secret immediately" } },
  run: ({ api }, values) =>
    api.call("POST", pathOf(values.webhook, "/secret"), {
      query: { ...queryOf(values), leaked: String(values.leaked) },
    }),
});

export const webhooksDelete = defineCommand({
  name: "webhooks delete",
  summary: "Delete a webhook and its log",
  examples: ["webhooks delete ID --team ID --stage prod --yes hooks.example.com"],
  effect: "changes",
  confirms: "the receiver's host",
  arguments: { webhook },
  options,
  async run({ api, confirm }, values) {
    const query = queryOf(values);
    const { url } = await api.read(pathOf(values.webhook), { query });
    await confirm(new URL(url).host, `the webhook ${values.webhook}`);
    await api.call("DELETE", pathOf(values.webhook), { query });
  },
});

export const webhooksLog = defineCommand({
  name: "webhooks log",
  summary: "List the deliveries to a webhook within a month and their outcomes, the newest first",
  examples: ["webhooks log ID --team ID --stage prod", "webhooks log ID --limit 20 --json"],
  effect: "reads",
  arguments: { webhook },
  options: { ...options, limit },
  async run({ api, note }, values) {
    const entries: object[] = [];
    let start: string | undefined;
    do {
      const size = String(Math.min(100, values.limit - entries.length));
      const page = await api.read(pathOf(values.webhook, "/deliveries"), {
        query: { ...queryOf(values), size, ...(start !== undefined && { start }) },
      });
      entries.push(...page.deliveries);
      start = page.next;
    } while (start !== undefined && entries.length < values.limit);
    if (start !== undefined) note("There are more: raise --limit.");
    return entries;
  },
});

export const webhooksTest = defineCommand({
  name: "webhooks test",
  summary: "Send an event of the type test to a webhook now, without retries",
  examples: ["webhooks test ID --team ID --stage prod"],
  effect: "changes",
  arguments: { webhook },
  options,
  run: ({ api }, values) => api.call("POST", pathOf(values.webhook, "/test"), { query: queryOf(values) }),
});

export const webhooksRedeliver = defineCommand({
  name: "webhooks redeliver",
  summary: "Send an event to a webhook again now, without retries",
  examples: ["webhooks redeliver ID DELIVERY --team ID --stage prod"],
  effect: "changes",
  arguments: { webhook, delivery: { kind: "id", description: "id of the delivery, from the log" } },
  options,
  run: ({ api }, values) =>
    api.call("POST", pathOf(values.webhook, `/deliveries/${encodeURIComponent(values.delivery)}`), {
      query: queryOf(values),
    }),
});
