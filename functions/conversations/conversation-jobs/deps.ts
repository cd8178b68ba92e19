import { AccountStore } from "#shared/accounts/account-store.ts";
import { BotStore } from "#shared/conversations/bots/bot-store.ts";
import { ConversationStore } from "#shared/conversations/conversation-store.ts";
import { SubconversationStore } from "#shared/conversations/subconversation-store.ts";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { GroupStore } from "#shared/devices/mls/group-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  secrets: SecretReader,
  outbox: Outbox,
  accounts: AccountStore,
  bots: BotStore,
  conversations: ConversationStore,
  devices: DeviceStore,
  events: EventPublisher,
  features: FeatureStore,
  groups: GroupStore,
  outboxWorker: OutboxWorker,
  subconversations: SubconversationStore,
});
