import type { AccountDeps } from "#shared/accounts/account-deps.ts";
import { closeSockets } from "#shared/events/sockets/socket-closure.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { type Change, change } from "#shared/platform/messaging/change.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { addCookie, checkCookieThrottle, endsCookies } from "#shared/sessions/cookies.ts";
import { countActive, countMarked } from "#shared/sessions/count-active.ts";
import { type NewSession, newSession } from "#shared/sessions/new-session.ts";
import type { Sessions } from "#shared/sessions/session.ts";
import type { Claim } from "./account.ts";
import { statusChange } from "./status-change.ts";

type Deps = Pick<
  AccountDeps,
  "accounts" | "clock" | "counts" | "dynamo" | "outbox" | "sessions" | "settings" | "tokens"
>;

/**
 * Give an authenticated user a cookie. Usually takes one write; near a limit, a read and a write.
 *
 * @param extra committed with the cookie, or not at all
 * @throws ApiError `invalid-credentials` when all cookies were revoked since the claim was read, `suspended` (after
 *   long inactivity), `cookie-throttled`
 */
export async function openSession(
  deps: Deps,
  { userId, sessionEpoch }: Pick<Claim, "userId" | "sessionEpoch">,
  options: {
    readonly label?: string | undefined;
    readonly isPersistent: boolean;
    /** End of the session, in Unix milliseconds, if it is to end before its type does. */
    readonly expiresAtMost?: number;
  },
  extra: Pick<Change, "writes" | "messages"> = { writes: [], messages: [] },
): Promise<NewSession> {
  const { clock, outbox, sessions, settings } = deps;
  const now = clock();
  const type = options.isPersistent ? "persistent" : "session";
  const session = await newSession(deps, userId, {
    type,
    label: options.label,
    expiresAtMost: options.expiresAtMost,
  });
  const { cookie } = session;
  const activeSince = activityLimit(settings, now);
  const added = await sessions.addWithinLimits(userId, cookie, { epoch: sessionEpoch, activeSince }, extra);
  if (added === undefined) {
    const isInactive = await sessions.change(
      userId,
      (stored) => {
        const current = stored.revision === 0 ? { ...stored, epoch: sessionEpoch } : stored;
        if (current.epoch !== sessionEpoch) throw new ApiError("invalid-credentials");
        if (isLongInactive(current, activeSince)) return { next: undefined, result: true };
        checkCookieThrottle(current, settings, now);
        const next = addCookie(current, cookie, settings.setUserCookieLimit, now);
        const closing = endsCookies(current, next, now) ? [closeSockets(outbox, { userId })] : [];
        return { next, messages: [...closing, ...extra.messages], result: false };
      },
      undefined,
      extra.writes,
    );
    if (isInactive) await suspend(deps, userId);
  }
  await (added?.isMarked ? countMarked(deps, added) : countActive(deps, userId, undefined));
  return session;
}

const activityLimit = ({ setSuspendInactiveUsers: limit }: Settings, now: number) =>
  limit === undefined ? undefined : now - limit.suspendTimeout * 1000;

/** A user without cookies does not count as inactive: nothing shows it. */
const isLongInactive = ({ cookies, newestAt }: Sessions, activeSince: number | undefined) =>
  activeSince !== undefined && Object.keys(cookies).length > 0 && newestAt < activeSince;

async function suspend(deps: Deps, userId: string): Promise<never> {
  await change(deps, async () => {
    const account = await deps.accounts.get(userId);
    return account?.status === "active" ? statusChange(deps, account, "suspended") : undefined;
  });
  throw new ApiError("suspended");
}
