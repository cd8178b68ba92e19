import * as z from "zod";
import type { Code } from "../data/code/code.ts";
import type { CodeStore } from "../data/code/code-store.ts";
import { ApiError } from "../errors.ts";
import type { Settings } from "../settings.ts";
import type { VerificationCodes } from "./verification-code.ts";

/** What a second-factor code is good for. */
export const secondFactorAction = z
  .enum(["login", "create_scim_token", "delete_team"])
  .meta({ id: "VerificationAction" });
export type SecondFactorAction = z.infer<typeof secondFactorAction>;

export const secondFactorKey = (userId: string, action: SecondFactorAction) => `${userId}/${action}`;

export const isSecondFactorRequired = ({ sndFactorPasswordChallenge }: Settings) =>
  sndFactorPasswordChallenge;

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
 * Check the code that proves the second factor, where one is required. A right one stays usable for its lifetime: the
 * code of a login also adds the device that logs in.
 *
 * @throws ApiError `code-authentication-required` without a code, `code-authentication-failed` with a wrong, expired or
 *   exhausted one
 */
export async function checkSecondFactor(deps: Deps, proof: Proof): Promise<void> {
  const proved = await proveSecondFactor(deps, proof);
  if (proved !== undefined) await deps.codes.giveAttemptBack(proved);
}

/** Whether a code is required and none was sent, which is no failure but how clients learn that one is needed. */
export const lacksCode = (candidate: string | undefined, settings: Settings) =>
  isSecondFactorRequired(settings) && candidate === undefined;

/**
 * The same, for callers that have something else to do while the try of a right code is given back to
 * `codes.giveAttemptBack`, which is up to them. Undefined where no second factor is required.
 *
 * @throws ApiError as `checkSecondFactor`
 */
export async function proveSecondFactor(
  { codes, settings, verificationCodes }: Deps,
  { userId, action, candidate }: Proof,
): Promise<Code | undefined> {
  if (!isSecondFactorRequired(settings)) return undefined;
  if (candidate === undefined) throw new ApiError("code-authentication-required");
  const code = await codes.takeAttempt("second-factor", secondFactorKey(userId, action));
  if (code === undefined || !(await verificationCodes.matches({ ...code, codeKey: code.key }, candidate)))
    throw new ApiError("code-authentication-failed");
  return code;
}
