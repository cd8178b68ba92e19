import { indexUpdate } from "#shared/accounts/index-update.ts";
import { createLeasedWorker } from "#shared/platform/messaging/leased-worker.ts";
import type { OutboxItem } from "#shared/platform/messaging/outbox-item.ts";
import type { Deps } from "./deps.ts";
import { updateIndex } from "./update-index.ts";

export function createHandler(deps: Deps) {
  const handle = ({ payload }: OutboxItem) => updateIndex(deps, indexUpdate.parse(payload).userId);
  return createLeasedWorker(deps.outbox, handle, { ...deps, queue: "search-index" });
}
