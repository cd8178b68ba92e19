import { AccountStore } from "#shared/accounts/account-store.ts";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { NotificationStore } from "#shared/events/notification-store.ts";
import { SocketStore } from "#shared/events/sockets/socket-store.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { LegalHoldSessions } from "#shared/sessions/legal-hold-sessions.ts";
import { createVerifiers } from "#shared/sessions/tokens/verifiers.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const secrets = new SecretReader(runtime);
  const stores = storeContext(runtime);
  return {
    ...runtime,
    ...createVerifiers(runtime, secrets),
    accounts: new AccountStore(stores),
    devices: new DeviceStore(stores),
    legalHoldSessions: new LegalHoldSessions(stores),
    notifications: new NotificationStore(stores),
    sockets: new SocketStore(stores),
  };
}
