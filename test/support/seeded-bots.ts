import { createPublicKey, randomUUID } from "node:crypto";
import { AccountStore } from "#shared/accounts/account-store.ts";
import { systemClock } from "#shared/platform/clock.ts";
import { transact } from "#shared/platform/data/conditions.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { rsaFingerprint } from "#shared/platform/outbound/rsa-key.ts";
import { BotStore } from "#shared/services/bot-store.ts";
import type { Service, ServiceId } from "#shared/services/service.ts";
import { ServiceStore } from "#shared/services/service-store.ts";
import { conversationData } from "./conversations.ts";
import { addDevices } from "./otr-messages.ts";
import { stackConfig } from "./stack-config.ts";
import type { User } from "./users.ts";

/** Where a service can be reached, and by what it is known. */
interface Reachable {
  readonly baseUrl: string;
  /** In PEM. */
  readonly publicKey: string;
  readonly authToken: string;
}

/** A bot in a group. */
export interface SeededBot {
  readonly id: string;
  /** Its device. */
  readonly clientId: string;
  readonly group: { readonly id: string };
}

/** Access the stored services and bots of a stack, bypassing its API. */
export function botData({ prefix = "test" }: { prefix?: string } = {}) {
  const context = storeContext({ config: stackConfig(prefix), clock: systemClock });
  const { dynamo } = context;
  const services = new ServiceStore(context);
  const bots = new BotStore(context);
  const accounts = new AccountStore(context);
  const conversations = conversationData({ prefix });

  return {
    /** Store an enabled service. */
    async newService({ baseUrl, publicKey, authToken }: Reachable): Promise<ServiceId> {
      const id = { providerId: randomUUID(), serviceId: randomUUID() };
      const key = createPublicKey(publicKey);
      const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
      const service: Omit<Service, "revision"> = {
        ...id,
        name: "Echo",
        summary: "Repeats",
        description: "Repeats what it hears",
        assets: [],
        tags: ["tutorial"],
        isEnabled: true,
        baseUrl,
        keys: [{ pem: publicKey, bits, fingerprint: rsaFingerprint(key) ?? "" }],
        authTokens: [authToken],
      };
      await transact(dynamo, services.create(service));
      return id;
    },
    /** Change a stored service. */
    async changeService(id: ServiceId, changes: Partial<Service>): Promise<void> {
      const service = await services.get(id.providerId, id.serviceId);
      if (service === undefined) throw new Error("There is no such service");
      await transact(dynamo, services.replace(service, { ...service, ...changes }));
    },
    /** Store a new group of users with a bot of a service. */
    async newGroupWithBot(users: readonly Pick<User, "id">[], service: ServiceId): Promise<SeededBot> {
      const id = randomUUID();
      const ref = { id: service.serviceId, provider: service.providerId };
      const group = await conversations.newConversation([...users, { id }], { services: { [id]: ref } });
      await transact(dynamo, [
        bots.create({ ...service, botId: id, conversationId: group.id }),
        ...accounts.save(undefined, {
          userId: id,
          status: "active",
          name: "Echo",
          accentId: 0,
          assets: [],
          picture: [],
          locale: "en",
          supportedProtocols: ["proteus"],
          managedByScim: false,
          service: ref,
          sessionEpoch: 0,
          createdAt: systemClock(),
        }),
      ]);
      const [clientId = ""] = await addDevices({ id }, 1, { prefix });
      return { id, clientId, group };
    },
    isStored: async (bot: Pick<SeededBot, "id">) => (await accounts.get(bot.id))?.status === "active",
  };
}
