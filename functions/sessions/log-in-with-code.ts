import { phoneIdentity } from "#shared/data/account/identity.ts";
import { StaleReadError, transact } from "#shared/data/conditions.ts";
import { ApiError } from "#shared/errors.ts";
import type { Deps } from "./deps.ts";
import { type OpenedSession, openSession } from "./open-session.ts";

/**
 * Log in with a code from an SMS, which is used up.
 * @throws ApiError `invalid-credentials`, `suspended`, `cookie-throttled`, `invalid-phone`
 * @see operation `login`
 */
export async function logInWithCode(
  deps: Deps,
  command: { phone: string; code: string; label?: string; isPersistent: boolean },
): Promise<OpenedSession> {
  const { accounts, client, codes, verificationCodes } = deps;
  const identity = phoneIdentity(command.phone);
  const [code, claim] = await Promise.all([
    codes.takeAttempt("login", identity.key),
    accounts.findClaim(identity),
  ]);
  const isRight =
    code !== undefined && (await verificationCodes.matches({ ...code, codeKey: code.key }, command.code));
  if (!isRight || claim === undefined || claim.userId !== code.userId)
    throw new ApiError("invalid-credentials");
  if (claim.status !== "active") {
    await codes.giveAttemptBack(code);
    throw new ApiError(claim.status === "suspended" ? "suspended" : "invalid-credentials");
  }
  try {
    await transact(client, [codes.consume(code)]);
  } catch (error) {
    if (error instanceof StaleReadError) throw new ApiError("invalid-credentials", { cause: error });
    throw error;
  }
  return openSession(deps, claim, command);
}
