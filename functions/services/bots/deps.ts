import pLimit from "p-limit";
import { AccountStore } from "#shared/accounts/account-store.ts";
import { BotStore } from "#shared/conversations/bots/bot-store.ts";
import { ConversationStore } from "#shared/conversations/conversation-store.ts";
import { maxConcurrentClaims } from "#shared/devices/claim-prekeys.ts";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { PrekeyStore } from "#shared/devices/prekey-store.ts";
import { BacklogStore } from "#shared/events/backlog-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import { Switches } from "#shared/platform/switches.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { ServiceStore } from "#shared/services/service-store.ts";
import { ServiceWhitelistStore } from "#shared/services/service-whitelist-store.ts";
import { TokenIssuer } from "#shared/sessions/tokens/token-issuer.ts";
import { signingVerifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    ...signingVerifiers,
    outbox: Outbox,
    accounts: AccountStore,
    backlogs: BacklogStore,
    bots: BotStore,
    budget: DailyBudget,
    conversations: ConversationStore,
    devices: DeviceStore,
    events: EventPublisher,
    features: FeatureStore,
    prekeys: PrekeyStore,
    services: ServiceStore,
    switches: Switches,
    tokens: TokenIssuer,
    whitelist: ServiceWhitelistStore,
  },
  () => ({
    claimQueue: pLimit(maxConcurrentClaims),
  }),
);
