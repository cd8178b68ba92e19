import { SQSClient } from "@aws-sdk/client-sqs";
import { ConnectionStore } from "#shared/conversations/connections/connection-store.ts";
import { SocketChecks } from "#shared/events/sockets/socket-closure.ts";
import { createSocketDeps } from "#shared/events/sockets/socket-deps.ts";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  const sqs = new SQSClient(awsClientOptions());
  return {
    ...runtime,
    ...createSocketDeps(stores, runtime),
    outbox: new OutboxWorker(stores),
    sqs,
    // What it cannot send comes again with its nudge.
    cellsSqs: new SQSClient({ ...awsClientOptions(), maxAttempts: 1 }),
    checks: new SocketChecks({ ...runtime, sqs }),
    connections: new ConnectionStore(stores),
    features: new FeatureStore(stores),
    teams: new TeamStore(stores),
  };
}
