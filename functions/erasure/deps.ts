import { VerificationCodes } from "#shared/auth/verification-code.ts";
import type { Config } from "#shared/config.ts";
import { AccountStore } from "#shared/data/account/account-store.ts";
import { createDocumentClient } from "#shared/data/client.ts";
import { CodeStore } from "#shared/data/code/code-store.ts";
import { ConnectionStore } from "#shared/data/connection/connection-store.ts";
import { DeviceStore } from "#shared/data/device/device-store.ts";
import { PrekeyStore } from "#shared/data/device/prekey-store.ts";
import { KeyPackageStore } from "#shared/data/key-package/key-package-store.ts";
import { GrantStore } from "#shared/data/oauth/grant-store.ts";
import { PropertyStore } from "#shared/data/property/property-store.ts";
import { RichInfoStore } from "#shared/data/rich-info/rich-info-store.ts";
import { SessionStore } from "#shared/data/session/session-store.ts";
import { SocketStore } from "#shared/data/socket/socket-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { Outbox } from "#shared/messaging/outbox.ts";
import { OutboxWorker } from "#shared/messaging/outbox-worker.ts";
import { createRuntime, type Overrides } from "#shared/runtime.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(config: Config, overrides?: Overrides) {
  const runtime = createRuntime("erasure", config, overrides);
  const { clock, log, secrets } = runtime;
  const client = createDocumentClient();
  const outbox = new Outbox(config, clock, log);
  return {
    ...runtime,
    client,
    accounts: new AccountStore(client, config),
    codes: new CodeStore(client, config, clock),
    connections: new ConnectionStore(client, config),
    devices: new DeviceStore(client, config),
    events: new EventPublisher(outbox, clock),
    grants: new GrantStore(client, config),
    keyPackages: new KeyPackageStore(client, config, clock),
    outbox,
    outboxWorker: new OutboxWorker(client, config, clock),
    prekeys: new PrekeyStore(client, config),
    properties: new PropertyStore(client, config),
    richInfo: new RichInfoStore(client, config),
    sessions: new SessionStore(client, config, clock),
    sockets: new SocketStore(client, config, clock),
    verificationCodes: new VerificationCodes(secrets),
  };
}
