import { indexUpdate } from "#shared/accounts/index-update.ts";
import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import type { OutboxItem } from "#shared/platform/messaging/outbox-item.ts";
import type { Deps } from "./deps.ts";
import { updateIndex } from "./update-index.ts";
import { updateTeam } from "./update-team.ts";

export function createHandler(deps: Deps) {
  async function handle({ payload }: OutboxItem): Promise<void> {
    const update = indexUpdate.parse(payload);
    await ("userId" in update ? updateIndex(deps, update.userId) : updateTeam(deps, update));
  }
  return createLeasedWorker(deps.outboxWorker, handle, {
    ...deps,
    queue: "search-index",
    isIdempotent: true,
  });
}
