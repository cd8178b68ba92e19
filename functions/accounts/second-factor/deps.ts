import { AccountStore } from "#shared/accounts/account-store.ts";
import { PasswordCheckLimiter } from "#shared/accounts/credentials/password-check-limiter.ts";
import { CodeStore } from "#shared/codes/code-store.ts";
import { VerificationCodes } from "#shared/codes/verification-code.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  const secrets = new SecretReader(runtime);
  return {
    ...runtime,
    dynamo: stores.dynamo,
    accounts: new AccountStore(stores),
    features: new FeatureStore(stores),
    codes: new CodeStore(stores),
    passwordChecks: new PasswordCheckLimiter(stores),
    rateLimiter: new RateLimiter(stores),
    outbox: new Outbox(runtime),
    verificationCodes: new VerificationCodes(secrets),
  };
}
