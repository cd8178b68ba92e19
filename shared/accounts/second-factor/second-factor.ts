import * as z from "zod";
import type { AccountDeps } from "#shared/accounts/account-deps.ts";
import type { AttemptedCode } from "#shared/codes/code.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { hasFeature } from "#shared/teams/features/effective-feature.ts";
import type { FeatureStore } from "#shared/teams/features/feature-store.ts";
import type { Account } from "../account.ts";

/** The action that a second-factor code permits. */
export const secondFactorAction = z.enum(["login", "create_scim_token", "delete_team"]).meta({
  id: "VerificationAction",
  description: "The action that the code permits; a `login` code also permits adding a device",
});
export type SecondFactorAction = z.infer<typeof secondFactorAction>;

/** Key of a user's code for an action. */
export const secondFactorKey = (userId: string, action: SecondFactorAction) => `${userId}/${action}`;

/**
 * Whether a user needs a second factor. Only members of a team do, where the team has the feature: for users without a
 * team nothing is read. Users of single sign-on prove theirs to the identity provider.
 */
export const needsSecondFactor = async (
  { features, settings }: { readonly features: FeatureStore; readonly settings: Settings },
  { teamId, hasSamlIdentity = false }: Pick<Account, "teamId"> & { readonly hasSamlIdentity?: boolean },
): Promise<boolean> =>
  teamId !== undefined &&
  !hasSamlIdentity &&
  hasFeature("sndFactorPasswordChallenge", await features.get(teamId), settings);

type Deps = Pick<AccountDeps, "codes" | "features" | "settings" | "verificationCodes">;

interface Proof {
  readonly action: SecondFactorAction;
  readonly candidate: string | undefined;
}

/**
 * Check the code that proves the second factor, if the user needs one. A correct code stays valid for its lifetime,
 * because the code of a login also adds the device that logs in.
 *
 * @throws ApiError as `proveSecondFactor`
 */
export async function checkSecondFactor(
  deps: Deps,
  user: Pick<Account, "userId" | "teamId" | "samlIdentity">,
  proof: Proof,
): Promise<void> {
  const { teamId, samlIdentity } = user;
  if (!(await needsSecondFactor(deps, { teamId, hasSamlIdentity: samlIdentity !== undefined }))) return;
  await deps.codes.returnAttempt(await proveSecondFactor(deps, user, proof));
}

/**
 * Check the code that proves the second factor, and leave it to the caller to return the attempt of a correct one, so
 * that `codes.returnAttempt` can run concurrently with other work.
 *
 * @throws ApiError `code-authentication-required` without a code, `code-authentication-failed` with a wrong, expired or
 *   exhausted one
 */
export async function proveSecondFactor(
  { codes, verificationCodes }: Pick<Deps, "codes" | "verificationCodes">,
  { userId }: Pick<Account, "userId">,
  { action, candidate }: Proof,
): Promise<AttemptedCode> {
  if (candidate === undefined) throw new ApiError("code-authentication-required");
  const code = await codes.takeAttempt("second-factor", secondFactorKey(userId, action));
  if (code === undefined || !(await verificationCodes.matches({ ...code, codeKey: code.key }, candidate)))
    throw new ApiError("code-authentication-failed");
  return code;
}
