import type { Argument } from "./command.ts";
import { type Context, defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";
import type { InternalApi } from "./internal-api.ts";

const provider = { kind: "id", description: "id of the provider" } as const satisfies Argument;
const service = { kind: "id", description: "id of the service" } as const satisfies Argument;

interface Service {
  readonly id: string;
  readonly provider: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly base_url: string;
}

const pathOf = (providerId: string, serviceId?: string) =>
  ["/i/services", providerId, ...(serviceId === undefined ? [] : [serviceId])]
    .map((part, index) => (index === 0 ? part : encodeURIComponent(part)))
    .join("/");

export const servicesList = defineCommand({
  name: "services list",
  summary:
    "List the services whose bots are in a conversation, those of a provider, or enabled ones by their name",
  examples: [
    "services list --conversation ID --stage prod",
    "services list --provider ID --json",
    "services list --name Quiz",
  ],
  effect: "reads",
  options: {
    conversation: { kind: "id", description: "id of a conversation" },
    provider,
    name: { kind: "text", description: "beginning of the name" },
  },
  async run({ api }, { conversation, provider, name }) {
    if ([conversation, provider, name].filter((one) => one !== undefined).length !== 1)
      throw new CommandError("Name one of --conversation, --provider and --name");
    if (conversation !== undefined) return ofConversation(api, conversation);
    const query: Record<string, string> = provider === undefined ? { name: name ?? "" } : { provider };
    const { services }: { services: readonly Service[] } = await api.read("/i/services", { query });
    return services.map(toRow);
  },
});

const toRow = ({ id, provider, name, enabled, base_url }: Service) => ({
  id,
  name,
  enabled,
  base_url,
  provider,
});

/** The bots in a conversation, with their services and providers. */
async function ofConversation(api: InternalApi, conversationId: string) {
  const { members } = await api.read(`/i/conversations/${encodeURIComponent(conversationId)}`);
  const bots: { id: string; service: { id: string; provider: string } }[] = members.others.filter(
    ({ service }: { service?: object }) => service !== undefined,
  );
  return Promise.all(
    bots.map(async ({ id: bot, service: { id, provider } }) => {
      const [service, owner] = await Promise.all([
        api.find(pathOf(provider, id)),
        api.find(pathOf(provider)),
      ]);
      return {
        bot,
        service: id,
        name: service?.name,
        enabled: service?.enabled,
        provider,
        provider_name: owner?.name,
        provider_email: owner?.email,
      };
    }),
  );
}

export const servicesShow = defineCommand({
  name: "services show",
  summary: "Show a service without its tokens",
  examples: ["services show PROVIDER-ID SERVICE-ID --stage prod"],
  effect: "reads",
  arguments: { provider, service },
  run: ({ api }, values) => api.read(pathOf(values.provider, values.service)),
});

const setEnabled =
  (enabled: boolean) =>
  async ({ api }: Context, values: { provider: string; service: string }) => {
    await api.call("PUT", pathOf(values.provider, values.service), { json: { enabled } });
  };

export const servicesDisable = defineCommand({
  name: "services disable",
  summary:
    "Disable a service: it leaves the directory and receives nothing, but its bots stay in their conversations",
  examples: ["services disable PROVIDER-ID SERVICE-ID --stage prod"],
  effect: "changes",
  arguments: { provider, service },
  run: setEnabled(false),
});

export const servicesEnable = defineCommand({
  name: "services enable",
  summary: "Enable a service again",
  examples: ["services enable PROVIDER-ID SERVICE-ID --stage prod"],
  effect: "changes",
  arguments: { provider, service },
  run: setEnabled(true),
});

export const servicesDelete = defineCommand({
  name: "services delete",
  summary: "Delete a service for good; its bots leave their conversations in the background",
  examples: ["services delete PROVIDER-ID SERVICE-ID --stage prod --yes Quiz"],
  effect: "changes",
  confirms: "the service's name",
  arguments: { provider, service },
  async run({ api, confirm }, values) {
    const path = pathOf(values.provider, values.service);
    const { name } = await api.read(path);
    await confirm(name, `the service ${values.service}`);
    await api.call("DELETE", path);
  },
});

export const providersShow = defineCommand({
  name: "providers show",
  summary: "Show a provider and its services",
  examples: ["providers show PROVIDER-ID --stage prod"],
  effect: "reads",
  arguments: { provider },
  run: ({ api }, values) => api.read(pathOf(values.provider)),
});

export const providersDelete = defineCommand({
  name: "providers delete",
  summary: "Delete a provider with its services for good, in the background",
  examples: ['providers delete PROVIDER-ID --stage prod --yes "Quiz Makers"'],
  effect: "changes",
  confirms: "the provider's name",
  arguments: { provider },
  async run({ api, confirm }, values) {
    const { name } = await api.read(pathOf(values.provider));
    await confirm(name, `the provider ${values.provider}`);
    await api.call("DELETE", pathOf(values.provider));
  },
});
