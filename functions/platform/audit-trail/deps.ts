import { AccountStore } from "#shared/accounts/account-store.ts";
import { AuditReader } from "#shared/platform/audit/reader.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({ accounts: AccountStore, audit: AuditReader, teams: TeamStore });
