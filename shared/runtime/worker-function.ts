import type { Context } from "aws-lambda";
import type { Config } from "#shared/platform/config.ts";
import type { Worker } from "#shared/platform/manifest.ts";
import { createRuntime, type Overrides, type Runtime } from "./runtime.ts";

/** The modules of a worker's folder: `worker.ts`, `deps.ts` and `handler.ts`. */
export interface WorkerModules<Deps, Event, Result> {
  readonly worker: Worker;
  readonly createDeps: (runtime: Runtime) => Deps;
  readonly createHandler: (deps: Deps) => (event: Event, context: Context) => Promise<Result>;
}

/** Creates the Lambda handler of a worker. */
export const createWorkerFunction = <Deps, Event, Result>(
  { worker, createDeps, createHandler }: WorkerModules<Deps, Event, Result>,
  config: Config,
  overrides?: Overrides,
) => createHandler(createDeps(createRuntime(worker.name, config, overrides)));
