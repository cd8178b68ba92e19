import type { Context } from "aws-lambda";
import type { Config } from "#shared/platform/config.ts";
import type { Worker } from "#shared/platform/manifest.ts";
import { createRuntime, type Overrides, type Runtime } from "./runtime.ts";
import { usageRecorder } from "./usage.ts";
import { type Warmable, type WarmUpDeps, warmUp } from "./warm-up.ts";

/** The modules of a worker's folder: `worker.ts` and `handler.ts`. */
export interface WorkerModules<Deps, Event, Result> {
  readonly worker: Worker;
  readonly createDeps: (runtime: Runtime) => Deps;
  readonly createHandler: (deps: Deps) => (event: Event, context: Context) => Promise<Result>;
}

/** Creates the Lambda handler of a worker, and what warms it up. */
export function createWorkerFunction<Deps extends WarmUpDeps, Event, Result>(
  { worker, createDeps, createHandler }: WorkerModules<Deps, Event, Result>,
  config: Config,
  overrides?: Overrides,
): ReturnType<typeof createHandler> & Warmable {
  const runtime = createRuntime(worker.name, config, overrides);
  const deps = createDeps(runtime);
  const handle = createHandler(deps);
  const usage = usageRecorder(worker, deps, runtime);
  const measured: typeof handle = (event, context) => {
    const { Records = [] } = event as { Records?: readonly unknown[] };
    const run = () => handle(event, context);
    if ("queue" in worker.trigger) return usage?.batch(Records.length, run) ?? run();
    return "sockets" in worker.trigger ? (usage?.request(run) ?? run()) : run();
  };
  return Object.assign(measured, { warmUp: () => warmUp(deps, { config, manifest: worker }) });
}
