import { AccountStore } from "#shared/accounts/account-store.ts";
import { ConversationStore } from "#shared/conversations/conversation-store.ts";
import { LegalHoldServiceStore } from "#shared/conversations/legal-hold/legal-hold-service-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { describeFormRefusal } from "#shared/platform/html/describe-form-refusal.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { verifiers } from "#shared/sessions/tokens/verifiers.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    ...verifiers,
    outbox: Outbox,
    accounts: AccountStore,
    events: EventPublisher,
    conversations: ConversationStore,
    features: FeatureStore,
    legalHoldServices: LegalHoldServiceStore,
    sessions: SessionStore,
    teams: TeamStore,
  },
  () => ({ describeRefusal: describeFormRefusal }),
);
