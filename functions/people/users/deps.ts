import { AccountStore } from "#shared/accounts/account-store.ts";
import { ExpiredAccounts } from "#shared/accounts/expired-account.ts";
import { RichInfoStore } from "#shared/accounts/profiles/rich-info-store.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { LegalHoldSessions } from "#shared/sessions/legal-hold-sessions.ts";
import { verifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  ...verifiers,
  accounts: AccountStore,
  expiredAccounts: ExpiredAccounts,
  features: FeatureStore,
  legalHoldSessions: LegalHoldSessions,
  richInfo: RichInfoStore,
  teams: TeamStore,
});
