import { AccountStore } from "#shared/accounts/account-store.ts";
import { PasswordCheckLimiter } from "#shared/accounts/credentials/password-check-limiter.ts";
import { IdentityLookup } from "#shared/accounts/identity-lookup.ts";
import { CodeStore } from "#shared/codes/code-store.ts";
import { VerificationCodes } from "#shared/codes/verification-code.ts";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { Switches } from "#shared/platform/switches.ts";
import { Counts } from "#shared/platform/usage/counts.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { TokenIssuer } from "#shared/sessions/tokens/token-issuer.ts";
import { signingVerifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  ...signingVerifiers,
  outbox: Outbox,
  accounts: AccountStore,
  counts: Counts,
  budget: DailyBudget,
  codes: CodeStore,
  identities: IdentityLookup,
  devices: DeviceStore,
  features: FeatureStore,
  passwordChecks: PasswordCheckLimiter,
  rateLimiter: RateLimiter,
  sessions: SessionStore,
  switches: Switches,
  tokens: TokenIssuer,
  verificationCodes: VerificationCodes,
});
