import type { Runtime } from "#shared/runtime/runtime.ts";

export type Deps = Runtime;

/** This family has no tables and no users; it serves only what is in the bundle. */
export const createDeps = (runtime: Runtime): Deps => runtime;
