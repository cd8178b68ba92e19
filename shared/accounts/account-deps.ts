import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { PasswordCheckLimiter } from "#shared/accounts/credentials/password-check-limiter.ts";
import type { IdentityLookup } from "#shared/accounts/identity-lookup.ts";
import type { CodeStore } from "#shared/codes/code-store.ts";
import type { VerificationCodes } from "#shared/codes/verification-code.ts";
import type { EventPublisher } from "#shared/events/publisher.ts";
import type { Clock } from "#shared/platform/clock.ts";
import type { Outbox } from "#shared/platform/messaging/outbox.ts";
import type { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import type { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import type { Counts } from "#shared/platform/usage/counts.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { SessionStore } from "#shared/sessions/session-store.ts";
import type { TokenIssuer } from "#shared/sessions/tokens/token-issuer.ts";
import type { FeatureStore } from "#shared/teams/features/feature-store.ts";
import type { InvitationStore } from "#shared/teams/invitation-store.ts";
import type { RegisteredDomainStore } from "#shared/teams/registered-domains/registered-domain-store.ts";
import type { TeamStore } from "#shared/teams/team-store.ts";
import type { AccountStore } from "./account-store.ts";

/** Dependencies of the rules of this domain; each rule names those that it uses. */
export interface AccountDeps {
  readonly accounts: AccountStore;
  readonly budget: DailyBudget;
  readonly clock: Clock;
  readonly codes: CodeStore;
  readonly counts: Counts;
  readonly domains: RegisteredDomainStore;
  readonly dynamo: DynamoDBDocumentClient;
  readonly events: EventPublisher;
  readonly features: FeatureStore;
  readonly identities: IdentityLookup;
  readonly invitations: InvitationStore;
  readonly outbox: Outbox;
  readonly passwordChecks: PasswordCheckLimiter;
  readonly rateLimiter: RateLimiter;
  readonly sessions: SessionStore;
  readonly settings: Settings;
  readonly teams: TeamStore;
  readonly tokens: TokenIssuer;
  readonly verificationCodes: VerificationCodes;
}
