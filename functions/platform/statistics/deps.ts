import { Statistics } from "#shared/platform/usage/statistics.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({ statistics: Statistics });
