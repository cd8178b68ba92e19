import { type Claim, currentStatus } from "#shared/accounts/account.ts";
import { AccountInactiveError } from "#shared/accounts/account-errors.ts";
import { reauthenticate } from "#shared/accounts/credentials/reauthenticate.ts";
import {
  type Credentials,
  rehash,
  settleLogin,
  verifyCredentials,
} from "#shared/accounts/credentials/verify-credentials.ts";
import { openSession, type SessionOptions } from "#shared/accounts/open-session.ts";
import { proveSecondFactor } from "#shared/accounts/second-factor/second-factor.ts";
import { DeviceNotFoundError, legalHoldDeviceOf } from "#shared/devices/device.ts";
import { allDone } from "#shared/platform/all-done.ts";
import { describeAudited } from "#shared/platform/audit/audited.ts";
import { answer } from "#shared/platform/http/answer.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { addCookie, newConnectionId } from "#shared/sessions/cookies.ts";
import { newSession } from "#shared/sessions/new-session.ts";
import type { AccessToken } from "#shared/sessions/tokens/token-issuer.ts";
import { hasFeature } from "#shared/teams/features/effective-feature.ts";
import type { Deps } from "./deps.ts";

export interface LogInCommand extends Credentials {
  /** Code of the second factor. */
  readonly secondFactor?: string;
  readonly label?: string;
  readonly isPersistent: boolean;
}

/**
 * Log in with a password.
 *
 * @throws ApiError as the route lists; the order of the checks is part of the interface
 * @see operation `login`
 */
export async function logIn(deps: Deps, command: LogInCommand, sourceIp: string): Promise<StartedSession> {
  const { passwordChecks } = deps;
  const verified = await verifyCredentials(deps, command, sourceIp);
  const { needsCode } = verified;
  const candidate = command.secondFactor;
  if (needsCode && candidate === undefined) {
    // Not a failed attempt: this is how clients learn that a code is needed.
    await passwordChecks.refund(verified.scope);
    throw new ApiError("code-authentication-required");
  }
  const code = needsCode
    ? await proveSecondFactor(deps, verified, { action: "login", candidate })
    : undefined;
  // Password and code were correct, even if no session can be created.
  const [, , opened] = await allDone([
    settleLogin(deps, verified),
    code && deps.codes.returnAttempt(code),
    startSession(deps, verified, { ...command, known: verified.known }),
  ]);
  await rehash(deps, verified, command.password);
  return opened;
}

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

/** Tokens that a login returns. */
export interface StartedSession {
  readonly accessToken: AccessToken;
  /** `Set-Cookie` value. */
  readonly setCookie: string;
}

/** Give an authenticated user a cookie and an access token. @throws ApiError as `openSession` does */
export async function startSession(
  deps: Deps,
  claim: Pick<Claim, "userId" | "sessionEpoch">,
  options: SessionOptions,
): Promise<StartedSession> {
  const { cookie, setCookie } = await openSession(deps, claim, options);
  const grant = { userId: claim.userId, connectionId: newConnectionId(cookie) };
  return { accessToken: await deps.tokens.accessToken(grant), setCookie };
}
