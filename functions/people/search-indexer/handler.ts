import { setTimeout as delay } from "node:timers/promises";
import { type IndexRefresh, indexRefresh, indexUpdate, orderTimeOf } from "#shared/accounts/index-update.ts";
import { change } from "#shared/platform/messaging/change.ts";
import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import { committedAtOf, type OutboxItem } from "#shared/platform/messaging/outbox-item.ts";
import type { Deps } from "./deps.ts";
import { updateAll } from "./update-all.ts";
import { updateIndex } from "./update-index.ts";
import { updateTeam } from "./update-team.ts";

export function createHandler(deps: Deps) {
  async function handle({ payload, messageId }: OutboxItem): Promise<void> {
    const update = indexUpdate.parse(payload);
    if ("refreshId" in update) return confirmRefresh(deps, update);
    if ("userId" in update) return updateIndex(deps, update.userId);
    const ordered = { ...update, orderedAt: update.orderedAt ?? committedAtOf({ messageId }) };
    await ("teamId" in ordered ? updateTeam(deps, ordered) : updateAll(deps, ordered));
  }
  return createLeasedWorker(deps.outboxWorker, handle, {
    ...deps,
    queue: "search-index",
    isIdempotent: true,
  });
}

/** Pause before the next look, short because a worker is busy with it. */
const pauseMilliseconds = 100;

/**
 * Note that a refresh is done once the outbox has nothing left that was ordered before it. It looks twice: a pass puts
 * its next message into the outbox before it removes the last, so a single look could miss both. If something is left,
 * another message looks again, so that updates of users get in between. After a number of looks it gives up, because
 * nobody waits any longer.
 */
async function confirmRefresh(deps: Deps, { refreshId, before, looks }: IndexRefresh): Promise<void> {
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
