import { AccountStore } from "#shared/accounts/account-store.ts";
import { PushEndpointStore } from "#shared/events/push/push-endpoint-store.ts";
import { PushProvider } from "#shared/events/push/push-provider.ts";
import { PushTokenStore } from "#shared/events/push/push-token-store.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { RateLimiter } from "#shared/platform/rate-limit/rate-limiter.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { createVerifiers } from "#shared/sessions/tokens/verifiers.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const secrets = new SecretReader(runtime);
  const stores = storeContext(runtime);
  return {
    ...runtime,
    ...createVerifiers(runtime, secrets),
    dynamo: stores.dynamo,
    accounts: new AccountStore(stores),
    outbox: new Outbox(runtime),
    provider: new PushProvider(),
    pushEndpoints: new PushEndpointStore(stores),
    pushTokens: new PushTokenStore(stores),
    rateLimiter: new RateLimiter(stores),
  };
}
