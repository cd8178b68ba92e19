import type { Config } from "#shared/config.ts";
import { AccountStore } from "#shared/data/account/account-store.ts";
import { createDocumentClient } from "#shared/data/client.ts";
import { PropertyStore } from "#shared/data/property/property-store.ts";
import { EventPublisher } from "#shared/events/publisher.ts";
import { Outbox } from "#shared/messaging/outbox.ts";
import { createRuntime, type Overrides } from "#shared/runtime.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(config: Config, overrides?: Overrides) {
  const runtime = createRuntime("properties", config, overrides);
  const { clock, log } = runtime;
  const client = createDocumentClient();
  return {
    ...runtime,
    client,
    accounts: new AccountStore(client, config),
    events: new EventPublisher(new Outbox(config, clock, log), clock),
    properties: new PropertyStore(client, config),
  };
}
