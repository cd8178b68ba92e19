import { SQSClient } from "@aws-sdk/client-sqs";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { OutboxSweep } from "#shared/platform/messaging/outbox-sweep.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = (runtime: Runtime) => ({
  ...runtime,
  sweep: new OutboxSweep(storeContext(runtime)),
  sqs: new SQSClient(awsClientOptions()),
});
