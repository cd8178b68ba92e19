import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { AccountStore } from "#shared/accounts/account-store.ts";
import type { LegalHoldServiceStore } from "#shared/conversations/legal-hold/legal-hold-service-store.ts";
import type { LegalHoldClient } from "#shared/conversations/legal-hold/service-client.ts";
import type { DeviceStore } from "#shared/devices/device-store.ts";
import type { BacklogStore } from "#shared/events/backlog-store.ts";
import type { EventPublisher } from "#shared/events/publisher.ts";
import type { Clock } from "#shared/platform/clock.ts";
import type { Outbox } from "#shared/platform/messaging/outbox.ts";
import type { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { FeatureStore } from "#shared/teams/features/feature-store.ts";
import type { TeamStore } from "#shared/teams/team-store.ts";
import type { BotStore } from "./bots/bot-store.ts";
import type { ConnectionStore } from "./connections/connection-store.ts";
import type { ConversationStore } from "./conversation-store.ts";
import type { GuestLinkStore } from "./guest-link-store.ts";
import type { SubconversationStore } from "./subconversation-store.ts";

/** Dependencies of the rules of this domain; each rule names those that it uses. */
export interface ConversationDeps {
  readonly accounts: AccountStore;
  readonly backlogs: BacklogStore;
  readonly bots: BotStore;
  readonly budget: DailyBudget;
  readonly clock: Clock;
  readonly connections: ConnectionStore;
  readonly conversations: ConversationStore;
  readonly devices: DeviceStore;
  readonly dynamo: DynamoDBDocumentClient;
  readonly events: EventPublisher;
  readonly features: FeatureStore;
  readonly guestLinks: GuestLinkStore;
  readonly legalHoldClient: LegalHoldClient;
  readonly legalHoldServices: LegalHoldServiceStore;
  readonly outbox: Outbox;
  readonly settings: Settings;
  readonly subconversations: SubconversationStore;
  readonly teams: TeamStore;
}
