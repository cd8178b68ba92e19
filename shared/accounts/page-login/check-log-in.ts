import {
  loginScope,
  rehash,
  settleLogin,
  verifyCredentials,
} from "#shared/accounts/credentials/verify-credentials.ts";
import { mailSecondFactorCode } from "#shared/accounts/second-factor/mail-second-factor-code.ts";
import { proveSecondFactor, secondFactorKey } from "#shared/accounts/second-factor/second-factor.ts";
import { isLive } from "#shared/codes/code.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { maxShownLength } from "#shared/platform/html/typed-fields.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { toApiError } from "#shared/platform/http/to-api-error.ts";
import { RateLimitedError } from "#shared/platform/rate-limit/token-bucket.ts";
import type { ErrorName } from "#shared/registry/errors.ts";
import type { AccountDeps } from "../account-deps.ts";
import type { LogInProblem } from "./log-in-pages.ts";
import { newSession, type PageSession } from "./page-session.ts";

type Deps = Pick<
  AccountDeps,
  | "accounts"
  | "clock"
  | "codes"
  | "counts"
  | "dynamo"
  | "features"
  | "identities"
  | "outbox"
  | "passwordChecks"
  | "rateLimiter"
  | "settings"
  | "verificationCodes"
> & {
  /** Begins the session of a user who has passed all checks. */
  readonly begin: (user: LoggedIn) => Promise<PageSession>;
};

/** The user who has logged in, and the account's `sessionEpoch` at that time. */
export interface LoggedIn {
  readonly sub: string;
  readonly epoch: number;
  /** When, in Unix seconds, unless it was just now. */
  readonly authTime?: number | undefined;
}

const problems: Partial<Record<ErrorName, LogInProblem>> = {
  "invalid-credentials": "wrong-credentials",
  "pending-activation": "pending-activation",
  suspended: "suspended",
  ephemeral: "wrong-credentials",
  "login-budget-exhausted": "too-many-attempts",
  "too-many-requests": "too-many-attempts",
  "cookie-throttled": "too-many-attempts",
  "code-authentication-failed": "wrong-code",
  "no-identity": "no-address",
};

/** First step of a login: an address, number or handle, and the password. @returns the resulting session */
export async function checkLogInPassword(
  deps: Deps,
  session: PageSession,
  { identity, password }: { identity: string; password: string },
  sourceIp: string,
): Promise<PageSession> {
  const { accounts } = deps;
  const typed = identity.trim();
  return orProblem({ ...session, identity: identity.slice(0, maxShownLength) }, async () => {
    const credentials = { ...namedIdentity(typed), password };
    const verified = await verifyCredentials(deps, credentials, sourceIp);
    const { userId, sessionEpoch, needsCode } = verified;
    const user = { sub: userId, epoch: sessionEpoch };
    await rehash(deps, verified, password);
    if (needsCode) {
      if ((await accounts.get(userId))?.email === undefined) throw new ApiError("no-identity");
      await mailCode(deps, userId);
      return newSession("password-given", { ...user, loginBy: typed });
    }
    await settleLogin(deps, verified);
    return deps.begin(user);
  });
}

/** @throws RateLimitedError while no new code may be sent and the last one has expired */
async function mailCode(deps: Deps, userId: string): Promise<void> {
  const { clock, codes } = deps;
  const key = secondFactorKey(userId, "login");
  try {
    await mailSecondFactorCode(deps, { key, userId });
  } catch (error) {
    if (!(error instanceof RateLimitedError)) throw error;
    const last = await codes.get("second-factor", key);
    if (last === undefined || !isLive(last, toSeconds(clock()))) throw error;
  }
}

/** Second step, where it is required: the code from the mail. Only now is the charge for the password refunded. */
export async function checkLogInCode(
  deps: Deps,
  session: PageSession,
  candidate: string,
  sourceIp: string,
): Promise<PageSession> {
  const { sub: userId = "", epoch = 0, loginBy = "" } = session;
  return orProblem(session, async () => {
    await deps.codes.returnAttempt(await proveSecondFactor(deps, { userId }, { action: "login", candidate }));
    const scope = loginScope(namedIdentity(loginBy.trim()), sourceIp, deps.settings);
    await settleLogin(deps, { scope, isFamiliar: false });
    return deps.begin({ sub: userId, epoch });
  });
}

function namedIdentity(text: string) {
  if (/^.+@/.test(text)) return { email: text };
  return text.startsWith("+") ? { phone: text } : { handle: text.replace(/^@/, "") };
}

/** The session after the step; if the step fails, the previous session with the problem. */
async function orProblem(session: PageSession, step: () => Promise<PageSession>): Promise<PageSession> {
  try {
    return await step();
  } catch (error) {
    const problem = problems[toApiError(error).error];
    if (problem === undefined) throw error;
    return { ...session, problem };
  }
}
