import { PasswordCheckLimiter } from "#shared/accounts/credentials/password-check-limiter.ts";
import { CodeStore } from "#shared/codes/code-store.ts";
import { VerificationCodes } from "#shared/codes/verification-code.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { Switches } from "#shared/platform/switches.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { ProviderStore } from "#shared/services/provider-store.ts";
import { TokenIssuer } from "#shared/sessions/tokens/token-issuer.ts";
import { signingVerifiers } from "#shared/sessions/tokens/verifiers.ts";
import { describeRefusal } from "./describe-refusal.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    ...signingVerifiers,
    outbox: Outbox,
    codes: CodeStore,
    passwordChecks: PasswordCheckLimiter,
    providers: ProviderStore,
    rateLimiter: RateLimiter,
    switches: Switches,
    tokens: TokenIssuer,
    verificationCodes: VerificationCodes,
  },
  () => ({
    describeRefusal,
  }),
);
