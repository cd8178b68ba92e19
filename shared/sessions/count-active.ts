import type { Clock } from "#shared/platform/clock.ts";
import type { Counts } from "#shared/platform/usage/counts.ts";
import { dayOf } from "#shared/platform/usage/statistics.ts";
import type { Marked, SessionStore } from "./session-store.ts";

interface Deps {
  readonly clock: Clock;
  readonly counts: Counts;
  readonly sessions: SessionStore;
}

/** Count a user as active today, unless that has been done. @param lastDay last active day, as it has just been read */
export async function countActive(deps: Deps, userId: string, lastDay: string | undefined): Promise<void> {
  const today = dayOf(deps.clock());
  if (lastDay === today) return;
  const marked = await deps.sessions.markActive(userId, today);
  if (marked.isMarked) await countMarked(deps, marked);
}

/** Count a user whose mark has just been set, also for the month if the last one was in another. */
export async function countMarked({ clock, counts }: Deps, { activeBefore = "" }: Marked): Promise<void> {
  const today = dayOf(clock());
  if (activeBefore === today) return;
  const isFirstOfMonth = activeBefore.slice(0, 7) !== today.slice(0, 7);
  await counts.add({ activeUsers: 1, monthlyUsers: isFirstOfMonth ? 1 : 0 });
}
