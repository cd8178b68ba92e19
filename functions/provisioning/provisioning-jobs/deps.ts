import { AccountStore } from "#shared/accounts/account-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import { TeamProvisioningStore } from "#shared/provisioning/team-provisioning-store.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  outbox: Outbox,
  accounts: AccountStore,
  events: EventPublisher,
  outboxWorker: OutboxWorker,
  provisioning: TeamProvisioningStore,
  sessions: SessionStore,
  teams: TeamStore,
});
