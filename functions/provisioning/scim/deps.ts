import { AccountStore } from "#shared/accounts/account-store.ts";
import { PasswordCheckLimiter } from "#shared/accounts/credentials/password-check-limiter.ts";
import { ExpiredAccounts } from "#shared/accounts/expired-account.ts";
import { IdentityLookup } from "#shared/accounts/identity-lookup.ts";
import { RichInfoStore } from "#shared/accounts/profiles/rich-info-store.ts";
import { CodeStore } from "#shared/codes/code-store.ts";
import { VerificationCodes } from "#shared/codes/verification-code.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { GroupStore } from "#shared/provisioning/group-store.ts";
import { IdentityProviderStore } from "#shared/provisioning/identity-provider-store.ts";
import { TeamProvisioningStore } from "#shared/provisioning/team-provisioning-store.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { createVerifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { InvitationCodes } from "#shared/teams/invitation-code.ts";
import { InvitationStore } from "#shared/teams/invitation-store.ts";
import { RegisteredDomainStore } from "#shared/teams/registered-domains/registered-domain-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  const secrets = new SecretReader(runtime);
  const accounts = new AccountStore(stores);
  const codes = new CodeStore(stores);
  const domains = new RegisteredDomainStore(stores);
  const outbox = new Outbox(runtime);
  return {
    ...runtime,
    ...createVerifiers(runtime, secrets),
    dynamo: stores.dynamo,
    accounts,
    codes,
    domains,
    events: new EventPublisher(outbox, runtime),
    expiredAccounts: new ExpiredAccounts(runtime),
    features: new FeatureStore(stores),
    groups: new GroupStore(stores),
    identities: new IdentityLookup({ accounts, codes, domains }),
    invitationCodes: new InvitationCodes(secrets),
    invitations: new InvitationStore(stores),
    identityProviders: new IdentityProviderStore(stores),
    outbox,
    passwordChecks: new PasswordCheckLimiter(stores),
    provisioning: new TeamProvisioningStore(stores),
    richInfo: new RichInfoStore(stores),
    sessions: new SessionStore(stores),
    teams: new TeamStore(stores),
    verificationCodes: new VerificationCodes(secrets),
  };
}
