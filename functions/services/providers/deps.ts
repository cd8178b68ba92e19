import { PasswordCheckLimiter } from "#shared/accounts/credentials/password-check-limiter.ts";
import { CodeStore } from "#shared/codes/code-store.ts";
import { VerificationCodes } from "#shared/codes/verification-code.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { ProviderStore } from "#shared/services/provider-store.ts";
import { TokenIssuer } from "#shared/sessions/tokens/token-issuer.ts";
import { createVerifiers } from "#shared/sessions/tokens/verifiers.ts";
import { describeRefusal } from "./describe-refusal.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  const secrets = new SecretReader(runtime);
  return {
    ...runtime,
    ...createVerifiers(runtime, secrets, { holdsSigningKeys: true }),
    describeRefusal,
    dynamo: stores.dynamo,
    providers: new ProviderStore(stores),
    codes: new CodeStore(stores),
    passwordChecks: new PasswordCheckLimiter(stores),
    rateLimiter: new RateLimiter(stores),
    outbox: new Outbox(runtime),
    verificationCodes: new VerificationCodes(secrets),
    tokens: new TokenIssuer(secrets, runtime),
  };
}
