import { setTimeout as delay } from "node:timers/promises";
import { type IndexRefresh, indexRefresh, orderTimeOf } from "#shared/accounts/index-update.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "./deps.ts";

/** Pause before the next look, short because a worker is busy with it. */
const pauseMilliseconds = 100;

/**
 * Note that a refresh is done once the outbox has nothing left that was ordered before it. It looks twice: a pass puts
 * its next message into the outbox before it removes the last, so a single look could miss both. If something is left,
 * another message looks again, so that updates of users get in between. After a number of looks it gives up, because
 * nobody waits any longer.
 */
export async function confirmRefresh(deps: Deps, { refreshId, before, looks }: IndexRefresh): Promise<void> {
  const { outbox, searchIndex } = deps;
  const isDone = !((await isAnyPending(deps, before)) || (await isAnyPending(deps, before)));
  if (isDone) return searchIndex.noteRefreshed(refreshId);
  if (looks <= 1) return;
  await delay(pauseMilliseconds);
  await change(deps, async () => ({
    messages: [indexRefresh(outbox, { refreshId, before, looks: looks - 1 })],
  }));
}

async function isAnyPending({ pendingMessages }: Deps, before: number): Promise<boolean> {
  for await (const message of pendingMessages.of("search-index")) {
    const orderedAt = orderTimeOf(message);
    if (orderedAt !== undefined && orderedAt <= before) return true;
  }
  return false;
}
