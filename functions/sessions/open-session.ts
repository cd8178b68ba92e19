import { addCookie, checkCookieThrottle, newCookie, setCookieHeader } from "#shared/auth/cookies.ts";
import { countPasswordCheck } from "#shared/auth/password-checks.ts";
import type { AccessToken } from "#shared/auth/token-issuer.ts";
import { toSeconds } from "#shared/clock.ts";
import type { Claim } from "#shared/data/account/account.ts";
import { transact } from "#shared/data/conditions.ts";
import type { Cookie, Sessions } from "#shared/data/session/session.ts";
import { takeToken } from "#shared/data/token-bucket.ts";
import { ApiError } from "#shared/errors.ts";
import type { Settings } from "#shared/settings.ts";
import type { Deps } from "./deps.ts";

/** What a login hands to the client. */
export interface OpenedSession {
  readonly accessToken: AccessToken;
  /** `Set-Cookie` value. */
  readonly setCookie: string;
}

/**
 * Give an authenticated user a cookie and an access token. Usually one write; near a limit a read and a write.
 *
 * @param options.countsPassword whether a right password is being answered, which its limits must allow first
 * @throws ApiError `invalid-credentials` when all cookies were revoked since the claim was read,
 *   `login-budget-exhausted`, `too-many-requests`, `suspended` (after long inactivity), `cookie-throttled`
 */
export async function openSession(
  deps: Deps,
  { userId, sessionEpoch }: Pick<Claim, "userId" | "sessionEpoch">,
  options: { label?: string; isPersistent: boolean; countsPassword: boolean },
): Promise<OpenedSession> {
  const { clock, sessions, settings, tokens } = deps;
  const now = clock();
  const cookie = newCookie(
    { type: options.isPersistent ? "persistent" : "session", label: options.label },
    settings,
    now,
  );
  const activeSince = activityLimit(settings, now);
  const passwordTat = options.countsPassword
    ? takeToken(undefined, settings.setPasswordHashingRateLimit.perUser, now)
    : undefined;
  const isAdded = await sessions.addIfUnhindered(userId, cookie, {
    epoch: sessionEpoch,
    passwordTat,
    activeSince,
  });
  if (!isAdded) {
    const isInactive = await sessions.change(userId, (stored) => {
      const current = stored.revision === 0 ? { ...stored, epoch: sessionEpoch } : stored;
      if (current.epoch !== sessionEpoch) throw new ApiError("invalid-credentials");
      const counted = options.countsPassword
        ? countPasswordCheck(current, { isRight: true, settings, now })
        : current;
      if (isLongInactive(current, activeSince)) return { next: undefined, result: true };
      checkCookieThrottle(counted, settings, now);
      return { next: addCookie(counted, cookie, settings.setUserCookieLimit, now), result: false };
    });
    if (isInactive) await suspend(deps, userId);
  }
  const [accessToken, token] = await Promise.all([
    tokens.accessToken({ userId }),
    signCookie(deps, userId, cookie),
  ]);
  return { accessToken, setCookie: setCookieHeader(token, cookie, settings) };
}

/** Token of a cookie record, which itself holds none. */
export const signCookie = ({ tokens }: Deps, userId: string, { id, type, expiresAt, clientId }: Cookie) =>
  tokens.cookieToken({
    userId,
    cookieId: id,
    isSession: type === "session",
    expiresAtSeconds: toSeconds(expiresAt),
    clientId,
  });

const activityLimit = ({ setSuspendInactiveUsers: limit }: Settings, now: number) =>
  limit === undefined ? undefined : now - limit.suspendTimeout * 1000;

/** A user without cookies is not inactive: there is nothing to tell it by. */
const isLongInactive = ({ cookies, newestAt }: Sessions, activeSince: number | undefined) =>
  activeSince !== undefined && Object.keys(cookies).length > 0 && newestAt < activeSince;

async function suspend({ accounts, client, sessions }: Deps, userId: string): Promise<never> {
  const account = await accounts.get(userId);
  if (account?.status === "active") {
    const sessionEpoch = account.sessionEpoch + 1;
    await transact(client, [
      ...accounts.save(account, { ...account, status: "suspended", sessionEpoch }),
      sessions.revokeAll(userId, sessionEpoch),
    ]);
  }
  throw new ApiError("suspended");
}
