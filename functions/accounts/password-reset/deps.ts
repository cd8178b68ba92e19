import { AccountStore } from "#shared/accounts/account-store.ts";
import { CodeStore } from "#shared/codes/code-store.ts";
import { VerificationCodes } from "#shared/codes/verification-code.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { describeRefusal } from "./describe-refusal.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    secrets: SecretReader,
    outbox: Outbox,
    accounts: AccountStore,
    budget: DailyBudget,
    codes: CodeStore,
    rateLimiter: RateLimiter,
    sessions: SessionStore,
    verificationCodes: VerificationCodes,
  },
  () => ({ describeRefusal }),
);
