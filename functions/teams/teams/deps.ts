import { AccountStore } from "#shared/accounts/account-store.ts";
import { PasswordCheckLimiter } from "#shared/accounts/credentials/password-check-limiter.ts";
import { IdentityLookup } from "#shared/accounts/identity-lookup.ts";
import { RichInfoStore } from "#shared/accounts/profiles/rich-info-store.ts";
import { CodeStore } from "#shared/codes/code-store.ts";
import { VerificationCodes } from "#shared/codes/verification-code.ts";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
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
    budget: new DailyBudget(stores),
    devices: new DeviceStore(stores),
    domains,
    events: new EventPublisher(outbox, runtime),
    features: new FeatureStore(stores),
    identities: new IdentityLookup({ accounts, codes, domains }),
    invitationCodes: new InvitationCodes(secrets),
    invitations: new InvitationStore(stores),
    outbox,
    passwordChecks: new PasswordCheckLimiter(stores),
    rateLimiter: new RateLimiter(stores),
    richInfo: new RichInfoStore(stores),
    sessions: new SessionStore(stores),
    codes,
    teams: new TeamStore(stores),
    verificationCodes: new VerificationCodes(secrets),
  };
}
