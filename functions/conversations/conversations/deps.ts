import { AccountStore } from "#shared/accounts/account-store.ts";
import { BotStore } from "#shared/conversations/bots/bot-store.ts";
import { ConnectionStore } from "#shared/conversations/connections/connection-store.ts";
import { ConversationStore } from "#shared/conversations/conversation-store.ts";
import { GuestLinkStore } from "#shared/conversations/guest-link-store.ts";
import { SubconversationStore } from "#shared/conversations/subconversation-store.ts";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { KeyPackageStore } from "#shared/devices/key-package-store.ts";
import { GroupStore } from "#shared/devices/mls/group-store.ts";
import { BacklogStore } from "#shared/events/backlog-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { Switches } from "#shared/platform/switches.ts";
import { createTurns } from "#shared/platform/turns.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { LegalHoldSessions } from "#shared/sessions/legal-hold-sessions.ts";
import { verifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";
import { GuestLinkCodes } from "./guest-links/guest-link-codes.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    ...verifiers,
    outbox: Outbox,
    accounts: AccountStore,
    backlogs: BacklogStore,
    bots: BotStore,
    budget: DailyBudget,
    connections: ConnectionStore,
    conversations: ConversationStore,
    devices: DeviceStore,
    events: EventPublisher,
    features: FeatureStore,
    groups: GroupStore,
    guestLinkCodes: GuestLinkCodes,
    guestLinks: GuestLinkStore,
    keyPackages: KeyPackageStore,
    legalHoldSessions: LegalHoldSessions,
    rateLimiter: RateLimiter,
    subconversations: SubconversationStore,
    switches: Switches,
    teams: TeamStore,
  },
  () => ({
    joinTurns: createTurns(),
  }),
);
