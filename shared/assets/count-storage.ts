import type { Log } from "#shared/platform/log.ts";
import type { Statistics } from "#shared/platform/usage/statistics.ts";
import type { Asset } from "./asset.ts";

/** Dependencies of counting the storage of teams. */
export interface StorageDeps {
  readonly log: Log;
  readonly statistics: Statistics;
}

/** Count a new file, or one deleted before its expiry, for the team of its owner. Never fails. */
export async function countStorage(
  { log, statistics }: StorageDeps,
  { teamId, bytes, expiresAtSeconds }: Pick<Asset, "teamId" | "bytes" | "expiresAtSeconds">,
  change: "stored" | "removed",
): Promise<void> {
  if (teamId === undefined) return;
  const sign = change === "stored" ? 1 : -1;
  await statistics
    .addStorage(teamId, { bytes: sign * bytes, files: sign, expiresAtSeconds })
    .catch((error) => log.warn("storage-not-counted", { teamId, error: error as Error }));
}
