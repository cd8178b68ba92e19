import * as z from "zod";
import type { AttemptedCode } from "#shared/codes/code.ts";
import type { CodeStore } from "#shared/codes/code-store.ts";
import type { VerificationCodes } from "#shared/codes/verification-code.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Settings } from "#shared/registry/settings.ts";

/** What a second-factor code allows. */
export const secondFactorAction = z.enum(["login", "create_scim_token", "delete_team"]).meta({
  id: "VerificationAction",
  description: "What the code allows; a `login` code also allows adding a device",
});
export type SecondFactorAction = z.infer<typeof secondFactorAction>;

/** Key of a user's code for an action. */
export const secondFactorKey = (userId: string, action: SecondFactorAction) => `${userId}/${action}`;

/** Whether the operator requires a second factor of everybody. */
export const isSecondFactorRequired = ({ sndFactorPasswordChallenge }: Settings) =>
  sndFactorPasswordChallenge.defaults.status === "enabled";

interface Deps {
  readonly codes: CodeStore;
  readonly settings: Settings;
  readonly verificationCodes: VerificationCodes;
}

interface Proof {
  readonly userId: string;
  readonly action: SecondFactorAction;
  readonly candidate?: string;
}

/**
 * Check the code that proves the second factor, if one is required. A correct code stays valid for its lifetime,
 * because the code of a login also adds the device that logs in.
 *
 * @throws ApiError `code-authentication-required` without a code, `code-authentication-failed` with a wrong, expired or
 *   exhausted one
 */
export async function checkSecondFactor(deps: Deps, proof: Proof): Promise<void> {
  const proved = await proveSecondFactor(deps, proof);
  if (proved !== undefined) await deps.codes.returnAttempt(proved);
}

/** Whether a required code is missing: not a failed attempt, but how clients learn that a code is needed. */
export const lacksCode = (candidate: string | undefined, settings: Settings) =>
  isSecondFactorRequired(settings) && candidate === undefined;

/**
 * Check the code as `checkSecondFactor` does, but leave it to the caller to return the attempt of a correct code, so
 * that `codes.returnAttempt` can run concurrently with other work. Returns undefined when no second factor is required.
 *
 * @throws ApiError as `checkSecondFactor`
 */
export async function proveSecondFactor(
  { codes, settings, verificationCodes }: Deps,
  { userId, action, candidate }: Proof,
): Promise<AttemptedCode | undefined> {
  if (!isSecondFactorRequired(settings)) return undefined;
  if (candidate === undefined) throw new ApiError("code-authentication-required");
  const code = await codes.takeAttempt("second-factor", secondFactorKey(userId, action));
  if (code === undefined || !(await verificationCodes.matches({ ...code, codeKey: code.key }, candidate)))
    throw new ApiError("code-authentication-failed");
  return code;
}
