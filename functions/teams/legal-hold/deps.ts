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
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { TokenIssuer } from "#shared/sessions/tokens/token-issuer.ts";
import { verifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  ...verifiers,
  outbox: Outbox,
  accounts: AccountStore,
  allocatedDevices: AllocatedDeviceStore,
  connections: ConnectionStore,
  conversations: ConversationStore,
  devices: DeviceStore,
  events: EventPublisher,
  features: FeatureStore,
  legalHoldClient: LegalHoldClient,
  legalHoldServices: LegalHoldServiceStore,
  legalHoldWhitelist: LegalHoldWhitelistStore,
  passwordChecks: PasswordCheckLimiter,
  prekeys: PrekeyStore,
  rateLimiter: RateLimiter,
  sessions: SessionStore,
  sockets: SocketStore,
  teams: TeamStore,
  tokens: TokenIssuer,
});
