import type { Deps } from "./deps.ts";
import { updateIndex } from "./update-index.ts";

const concurrentUpdates = 10;

/**
 * Bring the index entries of users up to date, some concurrently.
 * @returns the users for whom it failed
 */
export async function updateEach(deps: Deps, userIds: readonly string[]): Promise<string[]> {
  const failed: string[] = [];
  const waiting = userIds.values();
  const work = async () => {
    for (const userId of waiting) {
      await updateIndex(deps, userId).catch((error: Error) => {
        deps.log.warn("user-not-indexed", { userId, error });
        failed.push(userId);
      });
    }
  };
  await Promise.all(Array.from({ length: concurrentUpdates }, work));
  return failed;
}
