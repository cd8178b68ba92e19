import { AccountStore } from "#shared/accounts/account-store.ts";
import { ConnectionStore } from "#shared/conversations/connections/connection-store.ts";
import { ConversationStore } from "#shared/conversations/conversation-store.ts";
import { GuestLinkStore } from "#shared/conversations/guest-link-store.ts";
import { AllocatedDeviceStore } from "#shared/conversations/legal-hold/allocated-device-store.ts";
import { LegalHoldServiceStore } from "#shared/conversations/legal-hold/legal-hold-service-store.ts";
import { LegalHoldWhitelistStore } from "#shared/conversations/legal-hold/legal-hold-whitelist-store.ts";
import { LegalHoldClient } from "#shared/conversations/legal-hold/service-client.ts";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { PrekeyStore } from "#shared/devices/prekey-store.ts";
import { NotificationStore } from "#shared/events/notification-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { SocketStore } from "#shared/events/sockets/socket-store.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import { DefaultProviderStore } from "#shared/provisioning/default-provider-store.ts";
import { IdentityProviderStore } from "#shared/provisioning/identity-provider-store.ts";
import { TeamProvisioningStore } from "#shared/provisioning/team-provisioning-store.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { ServiceWhitelistStore } from "#shared/services/service-whitelist-store.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { InvitationStore } from "#shared/teams/invitation-store.ts";
import { RegisteredDomainStore } from "#shared/teams/registered-domains/registered-domain-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";
import { WebhookStore } from "#shared/teams/webhooks/webhook-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  outbox: Outbox,
  accounts: AccountStore,
  allocatedDevices: AllocatedDeviceStore,
  connections: ConnectionStore,
  conversations: ConversationStore,
  defaultProvider: DefaultProviderStore,
  devices: DeviceStore,
  domains: RegisteredDomainStore,
  events: EventPublisher,
  features: FeatureStore,
  guestLinks: GuestLinkStore,
  identityProviders: IdentityProviderStore,
  invitations: InvitationStore,
  legalHoldClient: LegalHoldClient,
  legalHoldServices: LegalHoldServiceStore,
  legalHoldWhitelist: LegalHoldWhitelistStore,
  notifications: NotificationStore,
  outboxWorker: OutboxWorker,
  prekeys: PrekeyStore,
  provisioning: TeamProvisioningStore,
  serviceWhitelist: ServiceWhitelistStore,
  sessions: SessionStore,
  sockets: SocketStore,
  teams: TeamStore,
  webhooks: WebhookStore,
});
