import { AuditSealer } from "#shared/platform/audit/sealer.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";

/** Time for one run, well below Lambda's limit; the next run continues. */
const runMilliseconds = 120_000;

/** Seals past hours, the oldest first. */
export function createHandler({ clock, log, sealer }: Deps) {
  return async (): Promise<void> => {
    const startedAt = clock();
    let hour = await sealer.nextHour();
    while (hour !== undefined && clock() - startedAt < runMilliseconds) {
      const files = await sealer.seal(hour);
      if (files > 0) log.info("audit-sealed", { hour, files });
      hour = await sealer.nextHour();
    }
  };
}

type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({ sealer: AuditSealer });
