import { AccountStore } from "#shared/accounts/account-store.ts";
import { RichInfoStore } from "#shared/accounts/profiles/rich-info-store.ts";
import { PropertyStore } from "#shared/accounts/properties/property-store.ts";
import { AssetStore } from "#shared/assets/asset-store.ts";
import { CodeStore } from "#shared/codes/code-store.ts";
import { VerificationCodes } from "#shared/codes/verification-code.ts";
import { BotStore } from "#shared/conversations/bots/bot-store.ts";
import { ConnectionStore } from "#shared/conversations/connections/connection-store.ts";
import { ConversationStore } from "#shared/conversations/conversation-store.ts";
import { GuestLinkStore } from "#shared/conversations/guest-link-store.ts";
import { AllocatedDeviceStore } from "#shared/conversations/legal-hold/allocated-device-store.ts";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { KeyPackageStore } from "#shared/devices/key-package-store.ts";
import { PrekeyStore } from "#shared/devices/prekey-store.ts";
import { NotificationStore } from "#shared/events/notification-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { PushTokenStore } from "#shared/events/push/push-token-store.ts";
import { SocketStore } from "#shared/events/sockets/socket-store.ts";
import { GrantStore } from "#shared/oauth/grant-store.ts";
import { Bucket } from "#shared/platform/files/bucket.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { Statistics } from "#shared/platform/usage/statistics.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { InvitationStore } from "#shared/teams/invitation-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    secrets: SecretReader,
    outbox: Outbox,
    accounts: AccountStore,
    allocatedDevices: AllocatedDeviceStore,
    assets: AssetStore,
    bots: BotStore,
    codes: CodeStore,
    connections: ConnectionStore,
    conversations: ConversationStore,
    devices: DeviceStore,
    events: EventPublisher,
    grants: GrantStore,
    guestLinks: GuestLinkStore,
    invitations: InvitationStore,
    keyPackages: KeyPackageStore,
    notifications: NotificationStore,
    outboxWorker: OutboxWorker,
    prekeys: PrekeyStore,
    properties: PropertyStore,
    pushTokens: PushTokenStore,
    richInfo: RichInfoStore,
    sessions: SessionStore,
    sockets: SocketStore,
    statistics: Statistics,
    teams: TeamStore,
    verificationCodes: VerificationCodes,
  },
  (deps) => ({
    bucket: new Bucket(deps, "assets"),
  }),
);
