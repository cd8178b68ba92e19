import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { fullIndexUpdate, indexRefresh } from "#shared/accounts/index-update.ts";
import { ApiError } from "#shared/platform/http/api-error.ts";
import type { Handlers } from "#shared/platform/http/route.ts";
import { change } from "#shared/platform/messaging/change.ts";
import type { Deps } from "../deps.ts";
import type { routes } from "./routes.ts";

export const createHandlers = (deps: Deps): Handlers<typeof routes> => ({
  "i-refresh-index": async () => {
    await refreshIndex(deps);
    return {};
  },

  "i-reindex": async () => {
    await change(deps, async () => ({ messages: [fullIndexUpdate(deps.outbox)] }));
    return {};
  },
});

/** Well below the 15 seconds that a request has. */
const longestMilliseconds = 10_000;
const pauseMilliseconds = 100;
/** How often the worker looks; it also pauses between two looks. */
const looks = longestMilliseconds / pauseMilliseconds;
/**
 * How far apart the clocks of functions may be. A change with a time up to this much later may already have been
 * answered.
 */
const clockSkewMilliseconds = 1000;

/**
 * Wait until the search index has all changes that were committed before. The indexer finds out, because that takes
 * reading the whole outbox, which this function must not do.
 *
 * @throws ApiError `index-not-refreshed` after ten seconds
 * @see operation `i-refresh-index`
 */
async function refreshIndex(deps: Deps): Promise<void> {
  const { clock, outbox, searchIndex } = deps;
  const startedAt = performance.now();
  const refreshId = randomUUID();
  const before = clock() + clockSkewMilliseconds;
  await change(deps, async () => ({ messages: [indexRefresh(outbox, { refreshId, before, looks })] }));
  while (!(await searchIndex.isRefreshed(refreshId))) {
    if (performance.now() - startedAt > longestMilliseconds) throw new ApiError("index-not-refreshed");
    await delay(pauseMilliseconds);
  }
}
