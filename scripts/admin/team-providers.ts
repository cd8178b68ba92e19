import { team } from "./arguments.ts";
import { defineCommand } from "./command.ts";
import { CommandError } from "./command-error.ts";
import type { InternalApi } from "./internal-api.ts";
import { asAdminOf } from "./team.ts";

interface Provider {
  readonly id: string;
  readonly metadata: { readonly issuer: string; readonly requestURI: string };
  readonly extraInfo: { readonly handle?: string; readonly domain?: string };
}

async function providersOf(api: InternalApi, id: string): Promise<Provider[]> {
  const { providers } = await api.read(`/i/identity-providers/${encodeURIComponent(id)}`);
  return providers;
}

export const teamProvidersList = defineCommand({
  name: "team providers list",
  summary: "List the identity providers of a team",
  examples: ["team providers list 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 --stage prod"],
  effect: "reads",
  arguments: { team },
  run: async ({ api }, values) =>
    (await providersOf(api, values.team)).map(({ id, metadata, extraInfo }) => ({
      id,
      name: extraInfo.handle,
      issuer: metadata.issuer,
      logs_in_at: metadata.requestURI,
      domain: extraInfo.domain,
    })),
});

export const teamProvidersRemove = defineCommand({
  name: "team providers remove",
  summary: "Remove an identity provider of a team; with --purge, with the accounts of its users",
  examples: [
    "team providers remove 8f0e2b1c-6d35-4f0a-9c3e-5b7a1d2e4f60 7f0e3a52-98c6-4b27-b7e5-0d1f6a3c9b84 --yes https://idp.example.com",
  ],
  effect: "changes",
  confirms: "the issuer",
  arguments: { team, provider: { kind: "id", description: "id from team providers list" } },
  options: { purge: { kind: "flag", description: "delete the accounts of its users, too" } },
  async run({ api, confirm }, values) {
    const found = (await providersOf(api, values.team)).find(({ id }) => id === values.provider);
    if (found === undefined) throw new CommandError(`The team has no identity provider ${values.provider}`);
    await confirm(found.metadata.issuer, `the identity provider ${found.id}`);
    await api.call("DELETE", `/identity-providers/${found.id}`, {
      ...(await asAdminOf(api, values.team)),
      query: values.purge ? { purge: "true" } : {},
    });
  },
});
