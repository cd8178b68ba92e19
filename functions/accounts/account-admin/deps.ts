import { AccountStore } from "#shared/accounts/account-store.ts";
import { ExpiredAccounts } from "#shared/accounts/expired-account.ts";
import { RichInfoStore } from "#shared/accounts/profiles/rich-info-store.ts";
import { SearchIndexStore } from "#shared/accounts/search/search-index-store.ts";
import { SuppressionStore } from "#shared/codes/mail/suppression-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  outbox: Outbox,
  accounts: AccountStore,
  events: EventPublisher,
  expiredAccounts: ExpiredAccounts,
  richInfo: RichInfoStore,
  searchIndex: SearchIndexStore,
  sessions: SessionStore,
  suppressions: SuppressionStore,
  teams: TeamStore,
});
