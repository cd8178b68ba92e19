import { randomUUID } from "node:crypto";
import type { Account } from "#shared/accounts/account.ts";
import { AccountStore } from "#shared/accounts/account-store.ts";
import { hashPassword } from "#shared/accounts/credentials/password.ts";
import { BotStore } from "#shared/conversations/bots/bot-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { parseSettings } from "#shared/registry/settings.ts";
import { ProviderStore } from "#shared/services/provider-store.ts";
import { ServiceStore } from "#shared/services/service-store.ts";
import { ServiceWhitelistStore } from "#shared/services/service-whitelist-store.ts";
import { api } from "./api.ts";
import { conversationData } from "./conversations.ts";
import { stackConfig } from "./stack-config.ts";
import type { Team } from "./teams.ts";
import { testSettings } from "./test-settings.ts";
import { sharedServiceKey } from "./tls-service.ts";
import { signedServiceToken } from "./tokens.ts";
import { type Apis, newEmail, somePassword, type User } from "./users.ts";

/** A provider with a token. */
export interface Provider {
  readonly id: string;
  readonly token: string;
  readonly password: string;
}

/** A service of a provider. */
export interface Service {
  readonly id: string;
  readonly provider: string;
  readonly name: string;
}

const hash = hashPassword(somePassword, parseSettings(testSettings).setPasswordHashingOptions);

/** Access what a stack has stored about providers, services and bots, bypassing its API. */
export function serviceData({ prefix = "test" }: { prefix?: string } = {}) {
  const dynamo = createDynamo();
  const config = { ...stackConfig(prefix), settings: parseSettings(testSettings) };
  const context = { dynamo, config, clock: systemClock };
  const accounts = new AccountStore(context);
  const bots = new BotStore(context);
  const providers = new ProviderStore(context);
  const services = new ServiceStore(context);
  const whitelist = new ServiceWhitelistStore(context);

  return {
    providers,
    services,
    /** Create a provider as if by registration, activation and login. */
    async newProvider(): Promise<Provider> {
      const providerId = randomUUID();
      const email = newEmail();
      const created = {
        providerId,
        name: "Engines",
        url: "https://engines.example.com",
        description: "Makes engines",
        passwordHash: await hash,
        createdAt: Date.now(),
      };
      await transact(dynamo, [providers.create(created)]);
      await transact(dynamo, providers.claimEmail({ ...created, revision: 1 }, { email, emailKey: email }));
      const expiresAtSeconds = Math.floor(Date.now() / 1000) + 900;
      const token = await signedServiceToken({ type: "provider", providerId, expiresAtSeconds }, { prefix });
      return { id: providerId, token, password: somePassword };
    },
    /** Mark a provider as being deleted, as if by a process that then died. */
    async beginDeletionOf({ id }: Pick<Provider, "id">): Promise<void> {
      const provider = await providers.get(id);
      if (provider !== undefined) await transact(dynamo, [providers.beginDeletion(provider)]);
    },
    /** Create a group with a bot of a service. @returns ids of both */
    async newGroupWithBot(
      service: Pick<Service, "id" | "provider">,
      members: readonly Pick<User, "id">[],
      { team }: { team?: Pick<Team, "id"> } = {},
    ): Promise<{ id: string; botId: string }> {
      const botId = randomUUID();
      const ref = { id: service.id, provider: service.provider };
      const account: Account = {
        userId: botId,
        revision: 1,
        status: "active",
        name: "Bot",
        accentId: 0,
        assets: [],
        picture: [],
        locale: "en",
        supportedProtocols: ["proteus"],
        managedByScim: false,
        service: ref,
        sessionEpoch: 0,
        createdAt: Date.now(),
      };
      const { id } = await conversationData({ prefix }).newConversation([...members, { id: botId }], {
        team,
        services: { [botId]: ref },
      });
      const bot = {
        botId,
        providerId: ref.provider,
        serviceId: ref.id,
        conversationId: id,
        teamId: team?.id,
      };
      await transact(dynamo, [...accounts.save(undefined, account), bots.create(bot)]);
      return { id, botId };
    },
    /** Ids of the teams that admit a service. */
    async teamsWith(serviceId: string): Promise<string[]> {
      const teams: string[] = [];
      for await (const team of whitelist.teamsWith(serviceId)) teams.push(team);
      return teams;
    },
    /** Status of a bot's account. */
    statusOf: async (botId: string) => (await accounts.get(botId))?.status,
  };
}

/** Body of a request that creates a service. */
export const serviceFields = (fields: Record<string, unknown> = {}) => ({
  name: `Quiz ${randomUUID()}`,
  summary: "Asks questions",
  description: "Asks questions about everything",
  base_url: "https://quiz.example.com",
  public_key: sharedServiceKey().publicKey,
  assets: [],
  tags: ["quiz"],
  ...fields,
});

/** Change the connection of a service, with the password of its provider. */
export const putConnection = (
  { token, password }: Pick<Provider, "token" | "password">,
  { id }: Pick<Service, "id">,
  fields: Record<string, unknown>,
  { publicApi = api }: Partial<Apis> = {},
) => publicApi("PUT", `/provider/services/${id}/connection`, { token, json: { password, ...fields } });

/** Create a service, which is enabled unless `enabled` is false. */
export async function newService(
  provider: Provider,
  { enabled = true, ...fields }: { enabled?: boolean } & Record<string, unknown> = {},
  apis: Partial<Apis> = {},
): Promise<Service> {
  const { publicApi = api } = apis;
  const json = serviceFields(fields);
  const { token } = provider;
  const { status, body } = await publicApi("POST", "/provider/services", { token, json });
  if (status !== 201) throw new Error(`Creating a service was answered ${status}`);
  const service = { id: body.id, provider: provider.id, name: json.name };
  if (enabled && (await putConnection(provider, service, { enabled }, apis)).status !== 200)
    throw new Error("The service was not enabled");
  return service;
}

/** Change whether a team admits a service. */
export const putOnList = (
  { id }: Pick<Team, "id">,
  { token }: Pick<User, "token">,
  service: Pick<Service, "id" | "provider">,
  whitelisted = true,
  { publicApi = api }: Partial<Apis> = {},
) =>
  publicApi("POST", `/teams/${id}/services/whitelist`, {
    token,
    json: { provider: service.provider, id: service.id, whitelisted },
  });
