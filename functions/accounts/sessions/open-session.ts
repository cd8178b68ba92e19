import type { Claim } from "#shared/accounts/account.ts";
import { statusChange } from "#shared/accounts/status-change.ts";
import { closeSockets } from "#shared/events/sockets/socket-closure.ts";
import { toSeconds } from "#shared/platform/clock.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Settings } from "#shared/registry/settings.ts";
import {
  addCookie,
  checkCookieThrottle,
  endsCookies,
  newConnectionId,
  newCookie,
  setCookieHeader,
} from "#shared/sessions/cookies.ts";
import type { Cookie, Sessions } from "#shared/sessions/session.ts";
import type { AccessToken } from "#shared/tokens/token-issuer.ts";
import type { Deps } from "./deps.ts";

/** Tokens that a login returns. */
export interface OpenedSession {
  readonly accessToken: AccessToken;
  /** `Set-Cookie` value. */
  readonly setCookie: string;
}

/**
 * Give an authenticated user a cookie and an access token. Usually takes one write; near a limit, a read and a write.
 *
 * @throws ApiError `invalid-credentials` when all cookies were revoked since the claim was read, `suspended` (after
 *   long inactivity), `cookie-throttled`
 */
export async function openSession(
  deps: Deps,
  { userId, sessionEpoch }: Pick<Claim, "userId" | "sessionEpoch">,
  options: { label?: string; isPersistent: boolean },
): Promise<OpenedSession> {
  const { clock, outbox, sessions, settings, tokens } = deps;
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
      const next = addCookie(current, cookie, settings.setUserCookieLimit, now);
      const messages = endsCookies(current, next, now) ? [closeSockets(outbox, { userId })] : [];
      return { next, messages, result: false };
    });
    if (isInactive) await suspend(deps, userId);
  }
  const [accessToken, token] = await Promise.all([
    tokens.accessToken({ userId, connectionId: newConnectionId(cookie) }),
    signCookie(deps, userId, cookie),
  ]);
  return { accessToken, setCookie: setCookieHeader(token, cookie, settings) };
}

/** Sign the token of a cookie; the stored record has none. */
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

/** A user without cookies does not count as inactive: there is nothing to tell it by. */
const isLongInactive = ({ cookies, newestAt }: Sessions, activeSince: number | undefined) =>
  activeSince !== undefined && Object.keys(cookies).length > 0 && newestAt < activeSince;

async function suspend(deps: Deps, userId: string): Promise<never> {
  await change(deps, async () => {
    const account = await deps.accounts.get(userId);
    return account?.status === "active" ? statusChange(deps, account, "suspended") : undefined;
  });
  throw new ApiError("suspended");
}
