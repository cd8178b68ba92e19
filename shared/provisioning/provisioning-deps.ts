import type { AccountStore } from "#shared/accounts/account-store.ts";
import type { IdentityLookup } from "#shared/accounts/identity-lookup.ts";
import type { RichInfoStore } from "#shared/accounts/profiles/rich-info-store.ts";
import type { CodeStore } from "#shared/codes/code-store.ts";
import type { VerificationCodes } from "#shared/codes/verification-code.ts";
import type { EventPublisher } from "#shared/events/publisher.ts";
import type { Clock } from "#shared/platform/clock.ts";
import type { Log } from "#shared/platform/log.ts";
import type { Outbox } from "#shared/platform/messaging/outbox.ts";
import type { Settings } from "#shared/registry/settings.ts";
import type { FeatureStore } from "#shared/teams/features/feature-store.ts";
import type { InvitationCodes } from "#shared/teams/invitation-code.ts";
import type { InvitationStore } from "#shared/teams/invitation-store.ts";
import type { TeamStore } from "#shared/teams/team-store.ts";
import type { DefaultProviderStore } from "./default-provider-store.ts";
import type { IdentityProviderStore } from "./identity-provider-store.ts";
import type { TeamProvisioningStore } from "./team-provisioning-store.ts";

/** Dependencies of the rules of this domain; each rule names those that it uses. */
export interface ProvisioningDeps {
  readonly accounts: AccountStore;
  readonly clock: Clock;
  readonly codes: CodeStore;
  readonly defaultProvider: DefaultProviderStore;
  readonly events: EventPublisher;
  readonly features: FeatureStore;
  readonly identities: IdentityLookup;
  readonly identityProviders: IdentityProviderStore;
  readonly invitationCodes: InvitationCodes;
  readonly invitations: InvitationStore;
  readonly log: Log;
  readonly outbox: Outbox;
  readonly provisioning: TeamProvisioningStore;
  readonly richInfo: RichInfoStore;
  readonly settings: Settings;
  readonly teams: TeamStore;
  readonly verificationCodes: VerificationCodes;
}
