import { AccountStore } from "#shared/accounts/account-store.ts";
import { PasswordCheckLimiter } from "#shared/accounts/credentials/password-check-limiter.ts";
import { IdentityLookup } from "#shared/accounts/identity-lookup.ts";
import { CodeStore } from "#shared/codes/code-store.ts";
import { VerificationCodes } from "#shared/codes/verification-code.ts";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { TokenIssuer } from "#shared/sessions/tokens/token-issuer.ts";
import { createVerifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  const secrets = new SecretReader(runtime);
  const accounts = new AccountStore(stores);
  const codes = new CodeStore(stores);
  return {
    ...runtime,
    ...createVerifiers(runtime, secrets, { holdsSigningKeys: true }),
    dynamo: stores.dynamo,
    accounts,
    features: new FeatureStore(stores),
    codes,
    identities: new IdentityLookup({ accounts, codes }),
    devices: new DeviceStore(stores),
    sessions: new SessionStore(stores),
    passwordChecks: new PasswordCheckLimiter(stores),
    budget: new DailyBudget(stores),
    rateLimiter: new RateLimiter(stores),
    outbox: new Outbox(runtime),
    verificationCodes: new VerificationCodes(secrets),
    tokens: new TokenIssuer(secrets, runtime),
  };
}
