import { AccountStore } from "#shared/accounts/account-store.ts";
import { PasswordCheckLimiter } from "#shared/accounts/credentials/password-check-limiter.ts";
import { ConnectionStore } from "#shared/conversations/connections/connection-store.ts";
import { ConversationStore } from "#shared/conversations/conversation-store.ts";
import { AllocatedDeviceStore } from "#shared/conversations/legal-hold/allocated-device-store.ts";
import { LegalHoldServiceStore } from "#shared/conversations/legal-hold/legal-hold-service-store.ts";
import { LegalHoldWhitelistStore } from "#shared/conversations/legal-hold/legal-hold-whitelist-store.ts";
import { LegalHoldClient } from "#shared/conversations/legal-hold/service-client.ts";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { PrekeyStore } from "#shared/devices/prekey-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { SocketStore } from "#shared/events/sockets/socket-store.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { TokenIssuer } from "#shared/sessions/tokens/token-issuer.ts";
import { createVerifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  const outbox = new Outbox(runtime);
  const secrets = new SecretReader(runtime);
  return {
    ...runtime,
    ...createVerifiers(runtime, secrets),
    dynamo: stores.dynamo,
    accounts: new AccountStore(stores),
    allocatedDevices: new AllocatedDeviceStore(stores),
    connections: new ConnectionStore(stores),
    conversations: new ConversationStore(stores),
    devices: new DeviceStore(stores),
    events: new EventPublisher(outbox, runtime),
    features: new FeatureStore(stores),
    legalHoldClient: new LegalHoldClient(runtime),
    legalHoldServices: new LegalHoldServiceStore(stores),
    legalHoldWhitelist: new LegalHoldWhitelistStore(stores),
    outbox,
    passwordChecks: new PasswordCheckLimiter(stores),
    prekeys: new PrekeyStore(stores),
    rateLimiter: new RateLimiter(stores),
    sessions: new SessionStore(stores),
    sockets: new SocketStore(stores),
    teams: new TeamStore(stores),
    tokens: new TokenIssuer(secrets, runtime),
  };
}
