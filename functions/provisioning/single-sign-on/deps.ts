import { AccountStore } from "#shared/accounts/account-store.ts";
import { IdentityLookup } from "#shared/accounts/identity-lookup.ts";
import { RichInfoStore } from "#shared/accounts/profiles/rich-info-store.ts";
import { CodeStore } from "#shared/codes/code-store.ts";
import { VerificationCodes } from "#shared/codes/verification-code.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { DefaultProviderStore } from "#shared/provisioning/default-provider-store.ts";
import { IdentityProviderStore } from "#shared/provisioning/identity-provider-store.ts";
import { LoginRequestStore } from "#shared/provisioning/login-request-store.ts";
import { TeamProvisioningStore } from "#shared/provisioning/team-provisioning-store.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { TokenIssuer } from "#shared/sessions/tokens/token-issuer.ts";
import { createVerifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { RegisteredDomainStore } from "#shared/teams/registered-domains/registered-domain-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";
import { BadResponseLimit } from "./login/bad-response-limit.ts";
import { refuseWithLoginPage } from "./login/pages/refuse-with-login-page.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  const secrets = new SecretReader(runtime);
  const accounts = new AccountStore(stores);
  const codes = new CodeStore(stores);
  const domains = new RegisteredDomainStore(stores);
  const outbox = new Outbox(runtime);
  const loginRequests = new LoginRequestStore(stores);
  const rateLimiter = new RateLimiter(stores);
  return {
    ...runtime,
    ...createVerifiers(runtime, secrets),
    dynamo: stores.dynamo,
    accounts,
    badResponses: new BadResponseLimit({ ...runtime, loginRequests, rateLimiter }),
    codes,
    defaultProvider: new DefaultProviderStore(stores),
    domains,
    events: new EventPublisher(outbox, runtime),
    features: new FeatureStore(stores),
    identities: new IdentityLookup({ accounts, codes, domains }),
    identityProviders: new IdentityProviderStore(stores),
    loginRequests,
    outbox,
    provisioning: new TeamProvisioningStore(stores),
    rateLimiter,
    renderRefusal: refuseWithLoginPage(runtime.settings),
    richInfo: new RichInfoStore(stores),
    sessions: new SessionStore(stores),
    teams: new TeamStore(stores),
    tokens: new TokenIssuer(secrets, runtime),
    verificationCodes: new VerificationCodes(secrets),
  };
}
