import pLimit from "p-limit";
import { AccountStore } from "#shared/accounts/account-store.ts";
import { BotStore } from "#shared/conversations/bots/bot-store.ts";
import { ConversationStore } from "#shared/conversations/conversation-store.ts";
import { maxConcurrentClaims } from "#shared/devices/claim-prekeys.ts";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { PrekeyStore } from "#shared/devices/prekey-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { ServiceStore } from "#shared/services/service-store.ts";
import { ServiceWhitelistStore } from "#shared/services/service-whitelist-store.ts";
import { TokenIssuer } from "#shared/sessions/tokens/token-issuer.ts";
import { createVerifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  const secrets = new SecretReader(runtime);
  const outbox = new Outbox(runtime);
  return {
    ...runtime,
    ...createVerifiers(runtime, secrets, { holdsSigningKeys: true }),
    dynamo: stores.dynamo,
    accounts: new AccountStore(stores),
    bots: new BotStore(stores),
    budget: new DailyBudget(stores),
    claimQueue: pLimit(maxConcurrentClaims),
    conversations: new ConversationStore(stores),
    devices: new DeviceStore(stores),
    events: new EventPublisher(outbox, runtime),
    features: new FeatureStore(stores),
    outbox,
    prekeys: new PrekeyStore(stores),
    services: new ServiceStore(stores),
    tokens: new TokenIssuer(secrets, runtime),
    whitelist: new ServiceWhitelistStore(stores),
  };
}
