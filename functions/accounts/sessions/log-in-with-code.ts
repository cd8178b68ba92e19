import { enteredIdentity } from "#shared/accounts/identity.ts";
import { StaleReadError, transact } from "#shared/platform/data/conditions.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { networkOf } from "#shared/platform/rate-limit/network.ts";
import { charge } from "#shared/platform/usage/measured-work.ts";
import type { Deps } from "./deps.ts";
import { type StartedSession, startSession } from "./start-session.ts";

/**
 * Log in with a code from an SMS, which is used up.
 * @throws ApiError `invalid-credentials`, `suspended`, `cookie-throttled`
 * @see operation `login`
 */
export async function logInWithCode(
  deps: Deps,
  command: { phone: string; code: string; label?: string; isPersistent: boolean },
  sourceIp: string,
): Promise<StartedSession> {
  const { accounts, dynamo, codes, verificationCodes } = deps;
  const identity = enteredIdentity(command, deps.settings);
  const [code, claim] = await Promise.all([
    codes.takeAttempt("login", identity.key, networkOf(sourceIp)),
    accounts.findClaim(identity),
  ]);
  const isCorrect =
    code !== undefined && (await verificationCodes.matches({ ...code, codeKey: code.key }, command.code));
  if (!isCorrect || claim === undefined || claim.userId !== code.userId) {
    await deps.counts.add({ failedLogins: 1 });
    throw new ApiError("invalid-credentials");
  }
  await charge(async () => claim.teamId);
  if (claim.status !== "active") {
    await codes.returnAttempt(code);
    throw new ApiError(claim.status === "suspended" ? "suspended" : "invalid-credentials");
  }
  await transact(dynamo, [codes.consume(code)]).catch(answer(StaleReadError, "invalid-credentials"));
  return startSession(deps, claim, command);
}
