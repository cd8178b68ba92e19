import { SQSClient } from "@aws-sdk/client-sqs";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import { OutboxSweep } from "#shared/platform/messaging/outbox-sweep.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    sweep: OutboxSweep,
  },
  () => ({
    sqs: new SQSClient(awsClientOptions()),
  }),
);
