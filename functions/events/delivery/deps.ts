import { SQSClient } from "@aws-sdk/client-sqs";
import { LogWriter } from "#shared/events/log-writer.ts";
import { createSocketDeps } from "#shared/events/sockets/socket-deps.ts";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import { ParkedMessages } from "#shared/platform/messaging/parked-messages.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  const socketDeps = createSocketDeps(stores, runtime);
  return {
    ...runtime,
    ...socketDeps,
    outbox: new OutboxWorker(stores),
    sqs: new SQSClient(awsClientOptions()),
    parked: new ParkedMessages(stores),
    teams: new TeamStore(stores),
    logWriter: new LogWriter({ ...runtime, ...socketDeps }),
  };
}
