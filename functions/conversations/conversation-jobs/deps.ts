import { AccountStore } from "#shared/accounts/account-store.ts";
import { BotStore } from "#shared/conversations/bots/bot-store.ts";
import { ConversationStore } from "#shared/conversations/conversation-store.ts";
import { SubconversationStore } from "#shared/conversations/subconversation-store.ts";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { GroupStore } from "#shared/devices/mls/group-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  const outbox = new Outbox(runtime);
  return {
    ...runtime,
    dynamo: stores.dynamo,
    accounts: new AccountStore(stores),
    bots: new BotStore(stores),
    conversations: new ConversationStore(stores),
    devices: new DeviceStore(stores),
    events: new EventPublisher(outbox, runtime),
    features: new FeatureStore(stores),
    groups: new GroupStore(stores),
    outbox,
    secrets: new SecretReader(runtime),
    subconversations: new SubconversationStore(stores),
    outboxWorker: new OutboxWorker(stores),
  };
}
