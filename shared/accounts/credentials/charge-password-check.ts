import { answer } from "#shared/platform/http/answer.ts";
import { LoginBudgetExhaustedError, type PasswordCheckLimiter } from "./password-check-limiter.ts";

/**
 * Charge a user for one password check.
 * @throws ApiError `login-budget-exhausted`
 * @throws RateLimitedError
 */
export const chargePasswordCheck = (passwordChecks: PasswordCheckLimiter, userId: string): Promise<void> =>
  passwordChecks.charge(userId).catch(
    answer(LoginBudgetExhaustedError, "login-budget-exhausted", ({ retryAfterSeconds }) => ({
      retryAfterSeconds,
    })),
  );
