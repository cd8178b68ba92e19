import type { AccountDeps } from "#shared/accounts/account-deps.ts";
import { closeSockets } from "#shared/events/sockets/socket-closure.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import { type Change, change } from "#shared/platform/messaging/change.ts";
import { dayOf } from "#shared/platform/usage/statistics.ts";
import type { Settings } from "#shared/registry/settings.ts";
import { addCookie, checkCookieThrottle, endsCookies } from "#shared/sessions/cookies.ts";
import { countMarked } from "#shared/sessions/count-active.ts";
import { type NewSession, newSession } from "#shared/sessions/new-session.ts";
import type { Sessions } from "#shared/sessions/session.ts";
import type { Claim } from "./account.ts";
import { statusChange } from "./status-change.ts";

type Deps = Pick<
  AccountDeps,
  "accounts" | "clock" | "counts" | "dynamo" | "outbox" | "sessions" | "settings" | "tokens"
>;

export interface SessionOptions {
  readonly label?: string | undefined;
  readonly isPersistent: boolean;
  /** End of the session, in Unix milliseconds, if it is earlier than usual for its type. */
  readonly expiresAtMost?: number;
  /** The user's sessions if they have been read since the claim, which saves a read. */
  readonly known?: Sessions | undefined;
}

interface Opening {
  readonly isInactive: boolean;
  /** The day on which the user was last counted as active. */
  readonly activeBefore: string | undefined;
}

/**
 * Give an authenticated user a cookie, which also counts them as active.
 *
 * @param extra committed with the cookie, or not at all
 * @throws ApiError `invalid-credentials` when, since the claim was read, the password was changed or somebody else has
 *   logged the user out everywhere, `suspended` (after long inactivity), `cookie-throttled`
 */
export async function openSession(
  deps: Deps,
  { userId, sessionEpoch }: Pick<Claim, "userId" | "sessionEpoch">,
  { label, isPersistent, known, expiresAtMost }: SessionOptions,
  extra: Pick<Change, "writes" | "messages"> = { writes: [], messages: [] },
): Promise<NewSession> {
  const { clock, outbox, sessions, settings } = deps;
  const now = clock();
  const session = await newSession(deps, userId, {
    type: isPersistent ? "persistent" : "session",
    label,
    expiresAtMost,
  });
  const { isInactive, activeBefore } = await sessions.change<Opening>(
    userId,
    (stored) => {
      const current = stored.revision === 0 ? { ...stored, epoch: sessionEpoch } : stored;
      const { epoch, activeOn: activeBefore } = current;
      if (epoch > sessionEpoch) throw new ApiError("invalid-credentials");
      const isInactive = isLongInactive(current, activityLimit(settings, now));
      if (isInactive) return { next: undefined, result: { isInactive, activeBefore } };
      checkCookieThrottle(current, settings, now);
      const withCookie = addCookie(current, session.cookie, settings.setUserCookieLimit, now);
      const closing = endsCookies(current, withCookie, now) ? [closeSockets(outbox, { userId })] : [];
      return {
        next: { ...withCookie, loggedInAt: now, activeOn: dayOf(now) },
        messages: [...closing, ...extra.messages],
        result: { isInactive, activeBefore },
      };
    },
    known,
    extra.writes,
  );
  if (isInactive) await suspend(deps, userId);
  await countMarked(deps, { isMarked: true, activeBefore });
  return session;
}

const activityLimit = ({ setSuspendInactiveUsers: limit }: Settings, now: number) =>
  limit === undefined ? undefined : now - limit.suspendTimeout * 1000;

/** A user without cookies does not count as inactive, because nothing proves it. */
const isLongInactive = ({ cookies, newestAt }: Sessions, activeSince: number | undefined) =>
  activeSince !== undefined && Object.keys(cookies).length > 0 && newestAt < activeSince;

async function suspend(deps: Deps, userId: string): Promise<never> {
  await change(deps, async () => {
    const account = await deps.accounts.get(userId);
    return account?.status === "active" ? statusChange(deps, account, "suspended") : undefined;
  });
  throw new ApiError("suspended");
}
