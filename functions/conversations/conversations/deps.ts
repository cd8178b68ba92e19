import { AccountStore } from "#shared/accounts/account-store.ts";
import { BotStore } from "#shared/conversations/bots/bot-store.ts";
import { ConnectionStore } from "#shared/conversations/connections/connection-store.ts";
import { ConversationStore } from "#shared/conversations/conversation-store.ts";
import { GuestLinkStore } from "#shared/conversations/guest-link-store.ts";
import { SubconversationStore } from "#shared/conversations/subconversation-store.ts";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { KeyPackageStore } from "#shared/devices/key-package-store.ts";
import { GroupStore } from "#shared/devices/mls/group-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import { createTurns } from "#shared/platform/turns.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { LegalHoldSessions } from "#shared/sessions/legal-hold-sessions.ts";
import { createVerifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";
import { GuestLinkCodes } from "./guest-links/guest-link-codes.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const secrets = new SecretReader(runtime);
  const stores = storeContext(runtime);
  const outbox = new Outbox(runtime);
  return {
    ...runtime,
    ...createVerifiers(runtime, secrets),
    accounts: new AccountStore(stores),
    bots: new BotStore(stores),
    budget: new DailyBudget(stores),
    connections: new ConnectionStore(stores),
    conversations: new ConversationStore(stores),
    devices: new DeviceStore(stores),
    dynamo: stores.dynamo,
    events: new EventPublisher(outbox, runtime),
    features: new FeatureStore(stores),
    groups: new GroupStore(stores),
    guestLinkCodes: new GuestLinkCodes(secrets),
    guestLinks: new GuestLinkStore(stores),
    joinTurns: createTurns(),
    keyPackages: new KeyPackageStore(stores),
    legalHoldSessions: new LegalHoldSessions(stores),
    outbox,
    rateLimiter: new RateLimiter(stores),
    secrets,
    subconversations: new SubconversationStore(stores),
    teams: new TeamStore(stores),
  };
}
