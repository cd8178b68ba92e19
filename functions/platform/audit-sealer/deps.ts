import { AuditSealer } from "#shared/platform/audit/sealer.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({ sealer: AuditSealer });
