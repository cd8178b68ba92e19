import { TokenIssuer } from "#shared/auth/token-issuer.ts";
import { VerificationCodes } from "#shared/auth/verification-code.ts";
import type { Config } from "#shared/config.ts";
import { AccountStore } from "#shared/data/account/account-store.ts";
import { createDocumentClient } from "#shared/data/client.ts";
import { CodeStore } from "#shared/data/code/code-store.ts";
import { DeviceStore } from "#shared/data/device/device-store.ts";
import { IdentityLookup } from "#shared/data/identity-lookup.ts";
import { PasswordCheckLimiter } from "#shared/data/password-check/password-check-limiter.ts";
import { RateLimiter } from "#shared/data/rate-limit/rate-limiter.ts";
import { SessionStore } from "#shared/data/session/session-store.ts";
import { Outbox } from "#shared/messaging/outbox.ts";
import { createRuntime, type Overrides } from "#shared/runtime.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(config: Config, overrides?: Overrides) {
  const runtime = createRuntime("sessions", config, overrides);
  const { clock, log, secrets, settings } = runtime;
  const client = createDocumentClient();
  const accounts = new AccountStore(client, config);
  const codes = new CodeStore(client, config, clock);
  return {
    ...runtime,
    client,
    accounts,
    codes,
    identities: new IdentityLookup(client, accounts, codes),
    devices: new DeviceStore(client, config),
    sessions: new SessionStore(client, config, clock),
    passwordChecks: new PasswordCheckLimiter(client, config, clock),
    rateLimiter: new RateLimiter(client, config, clock),
    outbox: new Outbox(config, clock, log),
    verificationCodes: new VerificationCodes(secrets),
    tokens: new TokenIssuer(secrets, settings, clock),
  };
}
