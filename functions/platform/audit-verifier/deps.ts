import { AuditVerifier } from "#shared/platform/audit/verifier.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({ verifier: AuditVerifier });
