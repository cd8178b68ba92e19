import type { Config } from "#shared/config.ts";
import { AccountStore } from "#shared/data/account/account-store.ts";
import { createDocumentClient } from "#shared/data/client.ts";
import { SessionStore } from "#shared/data/session/session-store.ts";
import { Outbox } from "#shared/messaging/outbox.ts";
import { createRuntime, type Overrides } from "#shared/runtime.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(config: Config, overrides?: Overrides) {
  const runtime = createRuntime("account-admin", config, overrides);
  const client = createDocumentClient();
  return {
    ...runtime,
    client,
    accounts: new AccountStore(client, config),
    sessions: new SessionStore(client, config, runtime.clock),
    outbox: new Outbox(config, runtime.clock, runtime.log),
  };
}
