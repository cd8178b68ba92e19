import { currentStatus } from "#shared/accounts/account.ts";
import { AccountInactiveError } from "#shared/accounts/account-errors.ts";
import { reauthenticate } from "#shared/accounts/credentials/reauthenticate.ts";
import { legalHoldDeviceOf } from "#shared/devices/device.ts";
import { DeviceNotFoundError } from "#shared/devices/device-errors.ts";
import { describeAudited } from "#shared/platform/audit/audited.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { addCookie, newConnectionId } from "#shared/sessions/cookies.ts";
import { newSession } from "#shared/sessions/new-session.ts";
import { hasFeature } from "#shared/teams/features/effective-feature.ts";
import type { Deps } from "./deps.ts";
import type { StartedSession } from "./start-session.ts";

/**
 * Log in the legal hold device of a user, after checking the user's password.
 *
 * @throws ApiError as the route lists
 * @throws RateLimitedError
 * @see operation `i-legalhold-login`
 */
export async function logInForLegalHold(
  deps: Deps,
  {
    userId,
    password,
    label,
  }: { readonly userId: string; readonly password?: string | undefined; readonly label?: string | undefined },
): Promise<StartedSession> {
  const { accounts, clock, devices, features, passwordChecks, sessions, settings, tokens } = deps;
  describeAudited({ target: { uid: userId } });
  const [account, ofUser] = await Promise.all([accounts.get(userId), devices.get(userId)]);
  if (account === undefined || currentStatus(account, clock()) === "deleted") throw new ApiError("not-found");
  await reauthenticate(passwordChecks, account, password);
  if (account.teamId === undefined) throw new ApiError("no-binding-team");
  const team = await features.get(account.teamId);
  if (!hasFeature("legalhold", team, settings)) throw new ApiError("legalhold-not-enabled");
  const clientId = legalHoldDeviceOf(ofUser)?.clientId;
  const wanted = { type: "persistent", label, clientId, isLegalHold: true } as const;
  const { cookie, setCookie } = await newSession(deps, userId, wanted);
  await sessions
    .change(
      userId,
      (current) => ({
        next: addCookie(current, cookie, settings.setUserCookieLimit, clock()),
        result: undefined,
      }),
      await sessions.get(userId, true),
      [
        accounts.requireActive(userId),
        ...(clientId === undefined ? [] : [devices.require(userId, clientId)]),
      ],
    )
    .catch(answer(AccountInactiveError, "suspended"))
    .catch(answer(DeviceNotFoundError, "concurrent-change"));
  const grant = { userId, connectionId: newConnectionId(cookie), clientId, isLegalHold: true };
  return { accessToken: await tokens.accessToken(grant), setCookie };
}
