import { AccountStore } from "#shared/accounts/account-store.ts";
import { PushEndpointStore } from "#shared/events/push/push-endpoint-store.ts";
import { PushProvider } from "#shared/events/push/push-provider.ts";
import { PushTokenStore } from "#shared/events/push/push-token-store.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { DailyBudget } from "#shared/platform/rate-limit/daily-budget.ts";
import { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { verifiers } from "#shared/sessions/tokens/verifiers.ts";
export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps({
  ...verifiers,
  outbox: Outbox,
  accounts: AccountStore,
  budget: DailyBudget,
  provider: PushProvider,
  pushEndpoints: PushEndpointStore,
  pushTokens: PushTokenStore,
  rateLimiter: RateLimiter,
});
