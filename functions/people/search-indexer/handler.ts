import { indexUpdate } from "#shared/accounts/index-update.ts";
import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import { committedAtOf, type OutboxItem } from "#shared/platform/messaging/outbox-item.ts";
import { confirmRefresh } from "./confirm-refresh.ts";
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
