import { AccountStore } from "#shared/accounts/account-store.ts";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { NotificationStore } from "#shared/events/notification-store.ts";
import { SocketStore } from "#shared/events/sockets/socket-store.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { LegalHoldSessions } from "#shared/sessions/legal-hold-sessions.ts";
import { verifiers } from "#shared/sessions/tokens/verifiers.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  ...verifiers,
  accounts: AccountStore,
  devices: DeviceStore,
  legalHoldSessions: LegalHoldSessions,
  notifications: NotificationStore,
  sockets: SocketStore,
});
