import type { CodeStore } from "../data/code/code-store.ts";
import { ApiError } from "../errors.ts";
import type { Settings } from "../settings.ts";
import type { VerificationCodes } from "./verification-code.ts";

/** What a second-factor code is good for. */
export type SecondFactorAction = "login" | "create_scim_token" | "delete_team";

export const secondFactorKey = (userId: string, action: SecondFactorAction) => `${userId}/${action}`;

export const isSecondFactorRequired = ({ sndFactorPasswordChallenge }: Settings) =>
  sndFactorPasswordChallenge;

/**
 * Check the code that proves the second factor, where one is required. A right one stays usable for its lifetime: the
 * code of a login also adds the device that logs in.
 *
 * @throws ApiError `code-authentication-required` without a code, `code-authentication-failed` with a wrong, expired or
 *   exhausted one
 */
export async function checkSecondFactor(
  {
    codes,
    settings,
    verificationCodes,
  }: { codes: CodeStore; settings: Settings; verificationCodes: VerificationCodes },
  { userId, action, candidate }: { userId: string; action: SecondFactorAction; candidate?: string },
): Promise<void> {
  if (!isSecondFactorRequired(settings)) return;
  if (candidate === undefined) throw new ApiError("code-authentication-required");
  const code = await codes.takeAttempt("second-factor", secondFactorKey(userId, action));
  if (code === undefined || !(await verificationCodes.matches({ ...code, codeKey: code.key }, candidate)))
    throw new ApiError("code-authentication-failed");
  await codes.giveAttemptBack(code);
}
