import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { CodeStore } from "#shared/codes/code-store.ts";
import type { VerificationCodes } from "#shared/codes/verification-code.ts";
import type { EventPublisher } from "#shared/events/publisher.ts";
import type { Clock } from "#shared/platform/clock.ts";
import type { Outbox } from "#shared/platform/messaging/outbox.ts";
import type { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { SessionStore } from "#shared/sessions/session-store.ts";
import type { FeatureStore } from "#shared/teams/features/feature-store.ts";
import type { TeamStore } from "#shared/teams/team-store.ts";
import type { AccountStore } from "./account-store.ts";

/** What the rules of this domain work with; each names its pick. */
export interface AccountDeps {
  readonly accounts: AccountStore;
  readonly budget: DailyBudget;
  readonly clock: Clock;
  readonly codes: CodeStore;
  readonly dynamo: DynamoDBDocumentClient;
  readonly events: EventPublisher;
  readonly features: FeatureStore;
  readonly outbox: Outbox;
  readonly sessions: SessionStore;
  readonly settings: Settings;
  readonly teams: TeamStore;
  readonly verificationCodes: VerificationCodes;
}
