import { mailSecondFactorCode } from "#shared/auth/mail-second-factor-code.ts";
import { checkSecondFactor, isSecondFactorRequired, secondFactorKey } from "#shared/auth/second-factor.ts";
import { verifyCredentials } from "#shared/auth/verify-credentials.ts";
import { toSeconds } from "#shared/clock.ts";
import { isLive } from "#shared/data/code/code.ts";
import { ApiError, type ErrorName } from "#shared/errors.ts";
import type { Deps } from "./deps.ts";
import { newSession, type PageSession } from "./page-session.ts";
import type { StepProblem } from "./pages/texts.ts";

const problems: Partial<Record<ErrorName, StepProblem>> = {
  "invalid-credentials": "wrong-credentials",
  "invalid-email": "wrong-credentials",
  "invalid-phone": "wrong-credentials",
  "pending-activation": "pending-activation",
  suspended: "suspended",
  ephemeral: "wrong-credentials",
  "login-budget-exhausted": "too-many-tries",
  "too-many-requests": "too-many-tries",
  "code-authentication-failed": "wrong-code",
  "no-identity": "no-address",
};

/** Step one of a login: an address, number or handle, and the password. @returns the session that it leads to */
export async function checkLogInPassword(
  deps: Deps,
  session: PageSession,
  { identity, password }: { identity: string; password: string },
): Promise<PageSession> {
  const { accounts, passwordChecks, settings } = deps;
  return orProblem({ ...session, identity }, async () => {
    const credentials = { ...namedIdentity(identity.trim()), password };
    const { userId, sessionEpoch } = await verifyCredentials(deps, credentials);
    const user = { sub: userId, epoch: sessionEpoch };
    if (isSecondFactorRequired(settings)) {
      if ((await accounts.get(userId))?.email === undefined) throw new ApiError("no-identity");
      await mailCode(deps, userId);
      return newSession("password-given", user);
    }
    await passwordChecks.refund(userId);
    return newSession("logged-in", user);
  });
}

/** @throws ApiError `too-many-requests` while no new code may be made and the last one is not good any more */
async function mailCode(deps: Deps, userId: string): Promise<void> {
  const { clock, codes } = deps;
  const key = secondFactorKey(userId, "login");
  try {
    await mailSecondFactorCode(deps, { key, userId });
  } catch (error) {
    if (!(error instanceof ApiError) || error.error !== "too-many-requests") throw error;
    const last = await codes.get("second-factor", key);
    if (last === undefined || !isLive(last, toSeconds(clock()))) throw error;
  }
}

/** Step two, where it is required: the code from the mail. What the password was charged is given back only now. */
export async function checkLogInCode(
  deps: Deps,
  session: PageSession,
  candidate: string,
): Promise<PageSession> {
  const { passwordChecks } = deps;
  const { sub: userId = "", epoch } = session;
  return orProblem(session, async () => {
    await checkSecondFactor(deps, { userId, action: "login", candidate });
    await passwordChecks.refund(userId);
    return newSession("logged-in", { sub: userId, epoch });
  });
}

function namedIdentity(text: string) {
  if (/^.+@/.test(text)) return { email: text };
  return text.startsWith("+") ? { phone: text } : { handle: text.replace(/^@/, "") };
}

/** What the step leads to, or the session as it is, with what went wrong. */
async function orProblem(session: PageSession, step: () => Promise<PageSession>): Promise<PageSession> {
  try {
    return await step();
  } catch (error) {
    const problem = error instanceof ApiError ? problems[error.error] : undefined;
    if (problem === undefined) throw error;
    return { ...session, problem };
  }
}
