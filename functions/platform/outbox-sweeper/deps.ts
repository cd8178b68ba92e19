import { SQSClient } from "@aws-sdk/client-sqs";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = (runtime: Runtime) => ({
  ...runtime,
  outbox: new OutboxWorker(storeContext(runtime)),
  sqs: new SQSClient(awsClientOptions()),
});
