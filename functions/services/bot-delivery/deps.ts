import { SQSClient } from "@aws-sdk/client-sqs";
import { NotificationStore } from "#shared/events/notification-store.ts";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { BotBacklogStore } from "#shared/services/bot-backlog-store.ts";
import { BotCalls } from "#shared/services/bot-calls.ts";
import { ServiceStore } from "#shared/services/service-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    backlogs: BotBacklogStore,
    calls: BotCalls,
    notifications: NotificationStore,
    services: ServiceStore,
  },
  () => ({ sqs: new SQSClient(awsClientOptions()) }),
);
