import { AccountStore } from "#shared/accounts/account-store.ts";
import { PasswordCheckLimiter } from "#shared/accounts/credentials/password-check-limiter.ts";
import { IdentityLookup } from "#shared/accounts/identity-lookup.ts";
import { CodeStore } from "#shared/codes/code-store.ts";
import { VerificationCodes } from "#shared/codes/verification-code.ts";
import { AppStore } from "#shared/oauth/app-store.ts";
import { AuthorizationCodeStore } from "#shared/oauth/authorization-code-store.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { JwtSigner } from "#shared/sessions/tokens/jwt.ts";
import { createVerifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { describeRefusal } from "./describe-refusal.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  const secrets = new SecretReader(runtime);
  const accounts = new AccountStore(stores);
  const codes = new CodeStore(stores);
  return {
    ...runtime,
    ...createVerifiers(runtime, secrets),
    secrets,
    describeRefusal,
    dynamo: stores.dynamo,
    accounts,
    features: new FeatureStore(stores),
    authorizationCodes: new AuthorizationCodeStore(stores),
    apps: new AppStore(stores),
    codes,
    identities: new IdentityLookup({ accounts, codes }),
    outbox: new Outbox(runtime),
    passwordChecks: new PasswordCheckLimiter(stores),
    rateLimiter: new RateLimiter(stores),
    signer: new JwtSigner(secrets, runtime),
    verificationCodes: new VerificationCodes(secrets),
  };
}
