import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { AccountStore } from "#shared/accounts/account-store.ts";
import type { ConnectionStore } from "#shared/conversations/connections/connection-store.ts";
import type { ConversationStore } from "#shared/conversations/conversation-store.ts";
import type { EventPublisher } from "#shared/events/publisher.ts";
import type { Clock } from "#shared/platform/clock.ts";
import type { Outbox } from "#shared/platform/messaging/outbox.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { FeatureStore } from "#shared/teams/features/feature-store.ts";

/** Deps of bringing connections and groups in line with legal hold. */
export interface SettlementDeps {
  readonly accounts: AccountStore;
  readonly clock: Clock;
  readonly connections: ConnectionStore;
  readonly conversations: ConversationStore;
  readonly dynamo: DynamoDBDocumentClient;
  readonly events: EventPublisher;
  readonly features: FeatureStore;
  readonly outbox: Outbox;
  readonly settings: Settings;
}
