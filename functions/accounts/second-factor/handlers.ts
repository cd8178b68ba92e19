import { currentStatus } from "#shared/accounts/account.ts";
import { reauthenticate } from "#shared/accounts/credentials/reauthenticate.ts";
import { emailIdentity } from "#shared/accounts/identity.ts";
import { mailSecondFactorCode } from "#shared/accounts/second-factor/mail-second-factor-code.ts";
import {
  checkSecondFactor,
  type SecondFactorAction,
  secondFactorKey,
} from "#shared/accounts/second-factor/second-factor.ts";
import { isLive } from "#shared/codes/code.ts";
import { hashedKey } from "#shared/codes/code-store.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { hasFeature } from "#shared/teams/features/effective-feature.ts";
import type { Deps } from "./deps.ts";
import type { Reauthentication, routes } from "./routes.ts";
import { findLimits, resetLimits, withdrawSecondFactorCodes } from "./user-limits.ts";

export function createHandlers(deps: Deps): Handlers<typeof routes> {
  const reauthenticate = async (userId: string, { verification_code: code, ...proof }: Reauthentication) => {
    await reauthenticateUser(deps, { userId, code, ...proof });
    return {};
  };

  return {
    "send-verification-code": async ({ body }) => {
      await sendCode(deps, body);
      return {};
    },

    "i-get-verification-code": async ({ params }) => ({
      body: (await findPendingCode(deps, { userId: params.uid, action: params.action })) ?? null,
    }),

    "i-delete-verification-codes": async ({ params }) => {
      await withdrawSecondFactorCodes(deps, params.uid);
      return {};
    },

    "i-get-user-limits": async ({ params }) => ({ body: { limits: await findLimits(deps, params.uid) } }),

    "i-reset-user-limits": async ({ params }) => {
      await resetLimits(deps, params.uid);
      return {};
    },

    "i-reauthenticate": ({ params, body }) => reauthenticate(params.uid, body),

    "i-reauthenticate-post": ({ params, body }) => reauthenticate(params.uid, body),
  };
}

/**
 * Check the password of a user and, if an action is named, the second factor for it.
 *
 * @throws ApiError `invalid-credentials` (also for an unknown or deleted user) and those of `reauthenticate` and
 *   `checkSecondFactor`
 * @see operation `i-reauthenticate`
 */
async function reauthenticateUser(
  deps: Deps,
  command: { userId: string; password?: string; code?: string; action?: SecondFactorAction },
): Promise<void> {
  const { accounts, clock, passwordChecks } = deps;
  const { userId, password, code, action } = command;
  const account = await accounts.get(userId);
  if (account === undefined || currentStatus(account, clock()) === "deleted")
    throw new ApiError("invalid-credentials");
  await reauthenticate(passwordChecks, account, password);
  if (action === undefined) return;
  await checkSecondFactor(deps, account, { action, candidate: code });
}

/**
 * Mail a new code to a user who needs a second factor. For every other address the steps are the same with a decoy, so
 * that neither responses nor their timing reveal which accounts exist, and which are in a team that requires codes.
 *
 * @throws ApiError `invalid-email`; `too-many-requests` within `set2FACodeGenerationDelaySecs` of the last code
 * @see operation `send-verification-code`
 */
async function sendCode(
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
async function findPendingCode(
  { clock, codes, verificationCodes }: Deps,
  { userId, action }: { userId: string; action: SecondFactorAction },
): Promise<string | undefined> {
  const pending = await codes.get("second-factor", secondFactorKey(userId, action));
  if (pending === undefined || !isLive(pending, toSeconds(clock()))) return undefined;
  return verificationCodes.derive({ ...pending, codeKey: pending.key });
}
