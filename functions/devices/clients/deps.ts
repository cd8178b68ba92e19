import { AccountStore } from "#shared/accounts/account-store.ts";
import { PasswordCheckLimiter } from "#shared/accounts/credentials/password-check-limiter.ts";
import { CodeStore } from "#shared/codes/code-store.ts";
import { VerificationCodes } from "#shared/codes/verification-code.ts";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { KeyPackageStore } from "#shared/devices/key-package-store.ts";
import { NonceStore } from "#shared/devices/nonce-store.ts";
import { PrekeyStore } from "#shared/devices/prekey-store.ts";
import { LogWriter } from "#shared/events/log-writer.ts";
import { NotificationStore } from "#shared/events/notification-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { SocketStore } from "#shared/events/sockets/socket-store.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { verifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  ...verifiers,
  outbox: Outbox,
  accounts: AccountStore,
  budget: DailyBudget,
  codes: CodeStore,
  devices: DeviceStore,
  events: EventPublisher,
  features: FeatureStore,
  keyPackages: KeyPackageStore,
  nonces: NonceStore,
  notifications: NotificationStore,
  passwordChecks: PasswordCheckLimiter,
  prekeys: PrekeyStore,
  sessions: SessionStore,
  sockets: SocketStore,
  verificationCodes: VerificationCodes,
  logWriter: LogWriter,
});
