import type { Sessions } from "../data/session/session.ts";
import type { SessionStore } from "../data/session/session-store.ts";
import { takeToken } from "../data/token-bucket.ts";
import { ApiError } from "../errors.ts";
import type { Settings } from "../settings.ts";

/**
 * Account for one password check of a user: the failed-login budget, then the rate limit. The verdict on a password
 * is told only after this has passed, so guesses made at once do not get around it.
 *
 * @throws ApiError `login-budget-exhausted` also for the right password, or `too-many-requests`; both with `Retry-After`
 */
export function countPasswordCheck(
  sessions: Sessions,
  { isRight, settings, now }: { isRight: boolean; settings: Settings; now: number },
): Sessions {
  const failedLogins = countFailure(sessions, { isRight, settings, now });
  const passwordTat = takeToken(sessions.passwordTat, settings.setPasswordHashingRateLimit.perUser, now);
  return { ...sessions, failedLogins, passwordTat };
}

function countFailure(
  { failedLogins }: Sessions,
  { isRight, settings, now }: { isRight: boolean; settings: Settings; now: number },
): Sessions["failedLogins"] {
  const limit = settings.setLimitFailedLogins;
  if (limit === undefined) return undefined;
  const window = limit.timeout * 1000;
  const current = failedLogins && failedLogins.since + window > now ? failedLogins : undefined;
  if (current && current.count >= limit.retryLimit) {
    throw new ApiError("login-budget-exhausted", {
      retryAfterSeconds: (current.since + window - now) / 1000,
    });
  }
  if (isRight) return current;
  return { count: (current?.count ?? 0) + 1, since: current?.since ?? now };
}

/**
 * Count a check that opens no session.
 * @throws ApiError what `countPasswordCheck` throws
 */
export async function recordPasswordCheck(
  sessions: SessionStore,
  userId: string,
  check: { isRight: boolean; settings: Settings; now: number },
): Promise<void> {
  const { setLimitFailedLogins, setPasswordHashingRateLimit } = check.settings;
  if (setLimitFailedLogins === undefined && setPasswordHashingRateLimit.perUser.refillSeconds === 0) return;
  await sessions.change(userId, (current) => ({
    next: countPasswordCheck(current, check),
    result: undefined,
  }));
}
