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
import { EventPublisher } from "#shared/events/publisher.ts";
import { PushTokenStore } from "#shared/events/push/push-token-store.ts";
import { SocketStore } from "#shared/events/sockets/socket-store.ts";
import { GrantStore } from "#shared/oauth/grant-store.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Bucket } from "#shared/platform/files/bucket.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  const secrets = new SecretReader(runtime);
  const outbox = new Outbox(runtime);
  return {
    ...runtime,
    dynamo: stores.dynamo,
    accounts: new AccountStore(stores),
    assets: new AssetStore(stores),
    bots: new BotStore(stores),
    bucket: new Bucket(runtime, "assets"),
    codes: new CodeStore(stores),
    connections: new ConnectionStore(stores),
    conversations: new ConversationStore(stores),
    allocatedDevices: new AllocatedDeviceStore(stores),
    devices: new DeviceStore(stores),
    events: new EventPublisher(outbox, runtime),
    grants: new GrantStore(stores),
    guestLinks: new GuestLinkStore(stores),
    keyPackages: new KeyPackageStore(stores),
    outbox,
    outboxWorker: new OutboxWorker(stores),
    prekeys: new PrekeyStore(stores),
    properties: new PropertyStore(stores),
    pushTokens: new PushTokenStore(stores),
    richInfo: new RichInfoStore(stores),
    sessions: new SessionStore(stores),
    teams: new TeamStore(stores),
    sockets: new SocketStore(stores),
    verificationCodes: new VerificationCodes(secrets),
  };
}
