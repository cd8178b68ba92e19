import type { Prekey } from "#shared/devices/prekey.ts";
import { lastPrekey, newPrekeys } from "./prekeys.ts";
import { startTlsService, type TlsService, type TlsServiceOptions } from "./tls-service.ts";

/** The request to create a bot, as the service receives it, with the keys that the service has made. */
interface CreatedBot {
  readonly id: string;
  readonly client: string;
  readonly token: string;
  readonly prekeys: readonly Prekey[];
  readonly lastPrekey: Prekey;
}

/** A service of a provider. */
export interface BotService extends TlsService {
  /** Bots that it has created, the newest last. */
  readonly bots: readonly CreatedBot[];
}

export interface BotServiceOptions extends TlsServiceOptions {
  /** Fields of its bots' profiles in its answers. */
  readonly looks?: Record<string, unknown>;
}

/** Start a service that creates a bot whenever it is asked to, and takes every event. */
export async function startBotService({ looks, ...options }: BotServiceOptions = {}): Promise<BotService> {
  const bots: CreatedBot[] = [];
  const service = await startTlsService(options, ({ path, body }) => {
    if (path !== "/bots") return {};
    const bot = { ...body, prekeys: newPrekeys(3), lastPrekey: lastPrekey() };
    bots.push(bot);
    return { status: 201, body: { prekeys: bot.prekeys, last_prekey: bot.lastPrekey, ...looks } };
  });
  return Object.assign(service, { bots });
}
