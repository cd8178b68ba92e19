import { SQSClient } from "@aws-sdk/client-sqs";
import { NotificationStore } from "#shared/events/notification-store.ts";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { BotBacklogStore } from "#shared/services/bot-backlog-store.ts";
import { BotCalls } from "#shared/services/bot-calls.ts";
import { ServiceStore } from "#shared/services/service-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  return {
    ...runtime,
    backlogs: new BotBacklogStore(stores, "slow-bot-events"),
    calls: new BotCalls(runtime),
    notifications: new NotificationStore(stores),
    services: new ServiceStore(stores),
    sqs: new SQSClient(awsClientOptions()),
  };
}
