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
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import { DefaultProviderStore } from "#shared/provisioning/default-provider-store.ts";
import { IdentityProviderStore } from "#shared/provisioning/identity-provider-store.ts";
import { TeamProvisioningStore } from "#shared/provisioning/team-provisioning-store.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { ServiceWhitelistStore } from "#shared/services/service-whitelist-store.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { InvitationStore } from "#shared/teams/invitation-store.ts";
import { RegisteredDomainStore } from "#shared/teams/registered-domains/registered-domain-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  const outbox = new Outbox(runtime);
  return {
    ...runtime,
    dynamo: stores.dynamo,
    accounts: new AccountStore(stores),
    allocatedDevices: new AllocatedDeviceStore(stores),
    connections: new ConnectionStore(stores),
    conversations: new ConversationStore(stores),
    defaultProvider: new DefaultProviderStore(stores),
    devices: new DeviceStore(stores),
    domains: new RegisteredDomainStore(stores),
    events: new EventPublisher(outbox, runtime),
    features: new FeatureStore(stores),
    guestLinks: new GuestLinkStore(stores),
    identityProviders: new IdentityProviderStore(stores),
    invitations: new InvitationStore(stores),
    legalHoldClient: new LegalHoldClient(runtime),
    legalHoldServices: new LegalHoldServiceStore(stores),
    legalHoldWhitelist: new LegalHoldWhitelistStore(stores),
    notifications: new NotificationStore(stores),
    outbox,
    outboxWorker: new OutboxWorker(stores),
    prekeys: new PrekeyStore(stores),
    provisioning: new TeamProvisioningStore(stores),
    serviceWhitelist: new ServiceWhitelistStore(stores),
    sessions: new SessionStore(stores),
    sockets: new SocketStore(stores),
    teams: new TeamStore(stores),
  };
}
