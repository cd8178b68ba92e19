import { emitMetric } from "#shared/platform/metrics.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { parseCanaryAccount } from "./canary-account.ts";
import { type CanaryRun, runCanary } from "./run-canary.ts";

/**
 * Run the canary, once more if a step fails, and report the outcome as metrics: no failure also counts, as 0, so that a
 * canary that does not run is noticed. Takes less than a minute.
 */
export function createHandler({ config, log, secrets }: Deps) {
  const { publicUrl, socketUrl } = config;

  async function run(): Promise<CanaryRun> {
    const account = await secrets.get("canary", parseCanaryAccount);
    return runCanary({ publicUrl, socketUrl, account });
  }

  const countFailures = (canary: string, value: number) =>
    emitMetric("CanaryFailures", { value, unit: "Count", canary, log });

  return async (): Promise<void> => {
    try {
      const first = await run();
      if (first.failure !== undefined) log.warn("canary-repeated", first.failure);
      const { failure, milliseconds } = first.failure === undefined ? first : await run();
      for (const [canary, value] of Object.entries(milliseconds)) {
        emitMetric("CanaryMilliseconds", { value, unit: "Milliseconds", canary, log });
      }
      if (failure !== undefined) {
        log.error("canary-failed", failure);
        countFailures(failure.step, 1);
      }
      countFailures("all", failure === undefined ? 0 : 1);
    } catch (error) {
      log.error("canary-failed", { step: "account", error: error as Error });
      countFailures("all", 1);
    }
  };
}

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = (runtime: Runtime) => ({
  ...runtime,
  secrets: new SecretReader(runtime),
});
