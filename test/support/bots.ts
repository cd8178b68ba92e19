import { AccountStore } from "#shared/accounts/account-store.ts";
import { BotStore } from "#shared/conversations/bots/bot-store.ts";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { PrekeyStore } from "#shared/devices/prekey-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { createDynamo } from "#shared/platform/data/dynamo.ts";
import { type ApiAnswer, api } from "./api.ts";
import { type BotService, type BotServiceOptions, startBotService } from "./bot-service.ts";
import { type Provider, newService as registerService, type Service } from "./services.ts";
import { stackConfig } from "./stack-config.ts";
import type { Apis, User } from "./users.ts";

/** A service that runs and is registered. */
export interface RunningService extends Service {
  readonly server: BotService;
}

/** Start a service and register it. It has to be stopped. */
export async function newRunningService(
  provider: Provider,
  { server: options, ...fields }: { server?: BotServiceOptions } & Record<string, unknown> = {},
  apis: Partial<Apis> = {},
): Promise<RunningService> {
  const server = await startBotService(options);
  return { ...(await registerService(provider, { ...server.registration, ...fields }, apis)), server };
}

interface Options extends Partial<Apis> {
  readonly version?: number;
  readonly locale?: string;
}

/** Add a bot of a service to a conversation. */
export const addBot = (
  { token }: Pick<User, "token">,
  { id }: { readonly id: string },
  service: Pick<Service, "id" | "provider">,
  { publicApi = api, version = 9, locale }: Options = {},
): Promise<ApiAnswer> => {
  const path = version < 7 ? `/conversations/${id}/bots` : `/bot/conversations/${id}`;
  const json = { provider: service.provider, service: service.id, locale };
  return publicApi("POST", `/v${version}${path}`, { token, json });
};

/** Remove a bot from a conversation. */
export const removeBot = (
  { token }: Pick<User, "token">,
  { id }: { readonly id: string },
  botId: string,
  { publicApi = api, version = 9 }: Options = {},
): Promise<ApiAnswer> => {
  const path = version < 7 ? `/conversations/${id}/bots/${botId}` : `/bot/conversations/${id}/${botId}`;
  return publicApi("DELETE", `/v${version}${path}`, { token });
};

/** Access what a stack has stored about bots, bypassing its API. */
export function botData({ prefix = "test" }: { prefix?: string } = {}) {
  const context = { dynamo: createDynamo(), config: stackConfig(prefix), clock: systemClock };
  const accounts = new AccountStore(context);
  const bots = new BotStore(context);
  const devices = new DeviceStore(context);
  const prekeys = new PrekeyStore(context);
  return {
    /** Ids of the bots of a service. */
    async botsOf({
      id: serviceId,
      provider: providerId,
    }: Pick<Service, "id" | "provider">): Promise<string[]> {
      const ids: string[] = [];
      for await (const { botId } of bots.ofService({ providerId, serviceId })) ids.push(botId);
      return ids;
    },
    /** The remains of a bot. */
    async remainsOf({ id, client }: { readonly id: string; readonly client: string }) {
      const account = await accounts.get(id);
      return {
        status: account?.status,
        devices: Object.keys((await devices.get(id)).devices),
        prekeys: await prekeys.ids(id, client),
      };
    },
  };
}

/** The remains of a bot that has been removed. */
export const nothingButTombstone = { status: "deleted", devices: [], prekeys: [] };
