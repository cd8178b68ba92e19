import type { Config } from "#shared/config.ts";
import { AccountStore } from "#shared/data/account/account-store.ts";
import { createDocumentClient } from "#shared/data/client.ts";
import { RichInfoStore } from "#shared/data/rich-info/rich-info-store.ts";
import { SessionStore } from "#shared/data/session/session-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { Outbox } from "#shared/messaging/outbox.ts";
import { createRuntime, type Overrides } from "#shared/runtime.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(config: Config, overrides?: Overrides) {
  const runtime = createRuntime("account-admin", config, overrides);
  const { clock, log } = runtime;
  const client = createDocumentClient();
  const outbox = new Outbox(config, clock, log);
  return {
    ...runtime,
    client,
    outbox,
    events: new EventPublisher(outbox, clock),
    accounts: new AccountStore(client, config),
    richInfo: new RichInfoStore(client, config),
    sessions: new SessionStore(client, config, clock),
  };
}
