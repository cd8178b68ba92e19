import type { Config } from "#shared/config.ts";
import { createLeasedWorker } from "#shared/messaging/leased-worker.ts";
import type { OutboxItem } from "#shared/messaging/outbox-item.ts";
import type { Overrides } from "#shared/runtime.ts";
import { indexUpdate } from "#shared/search/stage-index-update.ts";
import { createDeps } from "./deps.ts";
import { updateIndex } from "./update-index.ts";

export function createApp(config: Config, overrides?: Overrides) {
  const deps = createDeps(config, overrides);
  const handle = ({ payload }: OutboxItem) => updateIndex(deps, indexUpdate.parse(payload).userId);
  return createLeasedWorker(deps.outbox, handle, { queue: "search-index", log: deps.log });
}
