import { VerificationCodes } from "#shared/auth/verification-code.ts";
import type { Config } from "#shared/config.ts";
import { AccountStore } from "#shared/data/account/account-store.ts";
import { createDocumentClient } from "#shared/data/client.ts";
import { CodeStore } from "#shared/data/code/code-store.ts";
import { DeviceStore } from "#shared/data/device/device-store.ts";
import { NonceStore } from "#shared/data/device/nonce-store.ts";
import { PrekeyStore } from "#shared/data/device/prekey-store.ts";
import { KeyPackageStore } from "#shared/data/key-package/key-package-store.ts";
import { NotificationStore } from "#shared/data/notification/notification-store.ts";
import { PasswordCheckLimiter } from "#shared/data/password-check/password-check-limiter.ts";
import { SessionStore } from "#shared/data/session/session-store.ts";
import { SocketStore } from "#shared/data/socket/socket-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { Outbox } from "#shared/messaging/outbox.ts";
import { createRuntime, type Overrides } from "#shared/runtime.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(config: Config, overrides?: Overrides) {
  const runtime = createRuntime("clients", config, overrides);
  const { clock, log, secrets } = runtime;
  const client = createDocumentClient();
  const outbox = new Outbox(config, clock, log);
  return {
    ...runtime,
    client,
    accounts: new AccountStore(client, config),
    codes: new CodeStore(client, config, clock),
    devices: new DeviceStore(client, config),
    nonces: new NonceStore(client, config, clock),
    prekeys: new PrekeyStore(client, config),
    keyPackages: new KeyPackageStore(client, config, clock),
    notifications: new NotificationStore(client, config, clock),
    passwordChecks: new PasswordCheckLimiter(client, config, clock),
    sessions: new SessionStore(client, config, clock),
    sockets: new SocketStore(client, config, clock),
    outbox,
    events: new EventPublisher(outbox, clock),
    verificationCodes: new VerificationCodes(secrets),
  };
}
