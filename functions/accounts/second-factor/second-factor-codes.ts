import { emailIdentity } from "#shared/accounts/identity.ts";
import { mailSecondFactorCode } from "#shared/accounts/second-factor/mail-second-factor-code.ts";
import { type SecondFactorAction, secondFactorKey } from "#shared/accounts/second-factor/second-factor.ts";
import { isLive } from "#shared/codes/code.ts";
import { hashedKey } from "#shared/codes/code-store.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { hasFeature } from "#shared/teams/features/effective-feature.ts";
import type { Deps } from "./deps.ts";

/**
 * Mail a new code to a user who needs a second factor. For every other address the steps are the same with a decoy, so
 * that neither responses nor their timing reveal which accounts exist, and which are in a team that requires codes.
 *
 * @throws ApiError `invalid-email`; `too-many-requests` within `set2FACodeGenerationDelaySecs` of the last code
 * @see operation `send-verification-code`
 */
export async function sendCode(
  deps: Deps,
  { action, email }: { action: SecondFactorAction; email: string },
): Promise<void> {
  const { accounts, features, settings } = deps;
  const identity = emailIdentity(email, settings);
  const claim = await accounts.findClaim(identity);
  // Read for every address, so that the time reveals nothing.
  const team = await features.get(claim?.teamId ?? "nobody");
  const needsCode =
    claim?.teamId !== undefined &&
    claim.hasSamlIdentity !== true &&
    hasFeature("sndFactorPasswordChallenge", team, settings);
  const userId = needsCode && claim.status === "active" ? claim.userId : undefined;
  const key = secondFactorKey(userId ?? hashedKey(`decoy#${identity.key}`), action);
  await mailSecondFactorCode(deps, { key, userId });
}

/** Find the code that a user can use now; undefined when none is pending. */
export async function findPendingCode(
  { clock, codes, verificationCodes }: Deps,
  { userId, action }: { userId: string; action: SecondFactorAction },
): Promise<string | undefined> {
  const pending = await codes.get("second-factor", secondFactorKey(userId, action));
  if (pending === undefined || !isLive(pending, toSeconds(clock()))) return undefined;
  return verificationCodes.derive({ ...pending, codeKey: pending.key });
}
