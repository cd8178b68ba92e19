import { addCookie, checkCookieThrottle, newCookie, setCookieHeader } from "#shared/auth/cookies.ts";
import type { AccessToken } from "#shared/auth/token-issuer.ts";
import { toSeconds } from "#shared/clock.ts";
import type { Claim } from "#shared/data/account/account.ts";
import { retryStale } from "#shared/data/conditions.ts";
import type { Cookie, Sessions } from "#shared/data/session/session.ts";
import { ApiError } from "#shared/errors.ts";
import type { Settings } from "#shared/settings.ts";
import { commitStatus } from "#shared/suspension/commit-status.ts";
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
 * @throws ApiError `invalid-credentials` when all cookies were revoked since the claim was read, `suspended` (after long
 *   inactivity), `cookie-throttled`
 */
export async function openSession(
  deps: Deps,
  { userId, sessionEpoch }: Pick<Claim, "userId" | "sessionEpoch">,
  options: { label?: string; isPersistent: boolean },
): Promise<OpenedSession> {
  const { clock, sessions, settings, tokens } = deps;
  const now = clock();
  const cookie = newCookie(
    { type: options.isPersistent ? "persistent" : "session", label: options.label },
    settings,
    now,
  );
  const activeSince = activityLimit(settings, now);
  const isAdded = await sessions.addIfUnhindered(userId, cookie, { epoch: sessionEpoch, activeSince });
  if (!isAdded) {
    const isInactive = await sessions.change(userId, (stored) => {
      const current = stored.revision === 0 ? { ...stored, epoch: sessionEpoch } : stored;
      if (current.epoch !== sessionEpoch) throw new ApiError("invalid-credentials");
      if (isLongInactive(current, activeSince)) return { next: undefined, result: true };
      checkCookieThrottle(current, settings, now);
      return { next: addCookie(current, cookie, settings.setUserCookieLimit, now), result: false };
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

async function suspend(deps: Deps, userId: string): Promise<never> {
  await retryStale(async () => {
    const account = await deps.accounts.get(userId);
    if (account?.status === "active") await commitStatus(deps, account, "suspended");
  });
  throw new ApiError("suspended");
}
