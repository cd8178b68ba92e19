import { describeLinkRefusal } from "#shared/platform/html/describe-link-refusal.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";

export type Deps = ReturnType<typeof createDeps>;

/** This family has no tables and no users; it serves only what is in the bundle. */
export const createDeps = (runtime: Runtime) => ({ ...runtime, describeRefusal: describeLinkRefusal });
