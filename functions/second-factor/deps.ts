import { VerificationCodes } from "#shared/auth/verification-code.ts";
import type { Config } from "#shared/config.ts";
import { AccountStore } from "#shared/data/account/account-store.ts";
import { createDocumentClient } from "#shared/data/client.ts";
import { CodeStore } from "#shared/data/code/code-store.ts";
import { PasswordCheckLimiter } from "#shared/data/password-check/password-check-limiter.ts";
import { RateLimiter } from "#shared/data/rate-limit/rate-limiter.ts";
import { Outbox } from "#shared/messaging/outbox.ts";
import { createRuntime, type Overrides } from "#shared/runtime.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(config: Config, overrides?: Overrides) {
  const runtime = createRuntime("second-factor", config, overrides);
  const { clock, log, secrets } = runtime;
  const client = createDocumentClient();
  return {
    ...runtime,
    client,
    accounts: new AccountStore(client, config),
    codes: new CodeStore(client, config, clock),
    passwordChecks: new PasswordCheckLimiter(client, config, clock),
    rateLimiter: new RateLimiter(client, config, clock),
    outbox: new Outbox(config, clock, log),
    verificationCodes: new VerificationCodes(secrets),
  };
}
