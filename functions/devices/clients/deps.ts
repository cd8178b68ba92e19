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
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { createVerifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  const secrets = new SecretReader(runtime);
  const outbox = new Outbox(runtime);
  const notifications = new NotificationStore(stores);
  return {
    ...runtime,
    ...createVerifiers(runtime, secrets),
    secrets,
    dynamo: stores.dynamo,
    accounts: new AccountStore(stores),
    features: new FeatureStore(stores),
    budget: new DailyBudget(stores),
    codes: new CodeStore(stores),
    devices: new DeviceStore(stores),
    nonces: new NonceStore(stores),
    prekeys: new PrekeyStore(stores),
    keyPackages: new KeyPackageStore(stores),
    notifications,
    logWriter: new LogWriter({ ...runtime, notifications }),
    passwordChecks: new PasswordCheckLimiter(stores),
    sessions: new SessionStore(stores),
    sockets: new SocketStore(stores),
    outbox,
    events: new EventPublisher(outbox, runtime),
    verificationCodes: new VerificationCodes(secrets),
  };
}
