import { AccountStore } from "#shared/accounts/account-store.ts";
import { PasswordCheckLimiter } from "#shared/accounts/credentials/password-check-limiter.ts";
import { ExpiredAccounts } from "#shared/accounts/expired-account.ts";
import { IdentityLookup } from "#shared/accounts/identity-lookup.ts";
import { RichInfoStore } from "#shared/accounts/profiles/rich-info-store.ts";
import { CodeStore } from "#shared/codes/code-store.ts";
import { VerificationCodes } from "#shared/codes/verification-code.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { describeFormRefusal } from "#shared/platform/html/describe-form-refusal.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { GroupStore } from "#shared/provisioning/group-store.ts";
import { IdentityProviderStore } from "#shared/provisioning/identity-provider-store.ts";
import { TeamProvisioningStore } from "#shared/provisioning/team-provisioning-store.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { verifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { InvitationCodes } from "#shared/teams/invitation-code.ts";
import { InvitationStore } from "#shared/teams/invitation-store.ts";
import { RegisteredDomainStore } from "#shared/teams/registered-domains/registered-domain-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    ...verifiers,
    outbox: Outbox,
    accounts: AccountStore,
    codes: CodeStore,
    domains: RegisteredDomainStore,
    identities: IdentityLookup,
    events: EventPublisher,
    expiredAccounts: ExpiredAccounts,
    features: FeatureStore,
    groups: GroupStore,
    identityProviders: IdentityProviderStore,
    invitationCodes: InvitationCodes,
    invitations: InvitationStore,
    passwordChecks: PasswordCheckLimiter,
    provisioning: TeamProvisioningStore,
    richInfo: RichInfoStore,
    sessions: SessionStore,
    teams: TeamStore,
    verificationCodes: VerificationCodes,
  },
  () => ({ describeRefusal: describeFormRefusal }),
);
