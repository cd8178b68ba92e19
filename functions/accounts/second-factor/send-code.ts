import { emailIdentity } from "#shared/accounts/identity.ts";
import { mailSecondFactorCode } from "#shared/accounts/second-factor/mail-second-factor-code.ts";
import {
  requiresSecondFactor,
  type SecondFactorAction,
  secondFactorKey,
} from "#shared/accounts/second-factor/second-factor.ts";
import { hashedKey } from "#shared/codes/code-store.ts";
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
  const team = await features.get(claim?.teamId ?? "nobody");
  const needsCode =
    claim?.hasSamlIdentity !== true &&
    requiresSecondFactor(claim?.teamId === undefined ? undefined : team, settings);
  const userId = claim?.status === "active" && needsCode ? claim.userId : undefined;
  const key = secondFactorKey(userId ?? hashedKey(`decoy#${identity.key}`), action);
  await mailSecondFactorCode(deps, { key, userId });
}
