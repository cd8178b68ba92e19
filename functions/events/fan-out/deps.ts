import { SQSClient } from "@aws-sdk/client-sqs";
import { ConnectionStore } from "#shared/conversations/connections/connection-store.ts";
import { SocketChecks } from "#shared/events/sockets/socket-closure.ts";
import { socketParts } from "#shared/events/sockets/socket-parts.ts";
import { ToldTimes } from "#shared/events/told-times.ts";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import { Counts } from "#shared/platform/usage/counts.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { FeatureStore } from "#shared/teams/features/feature-store.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    ...socketParts,
    counts: Counts,
    outbox: OutboxWorker,
    connections: ConnectionStore,
    features: FeatureStore,
    teams: TeamStore,
    told: ToldTimes,
  },
  (deps) => {
    const sqs = new SQSClient(awsClientOptions());
    return {
      sqs,
      // An event that cannot be sent is retried with its nudge.
      cellsSqs: new SQSClient({ ...awsClientOptions(), maxAttempts: 1 }),
      checks: new SocketChecks({ ...deps, sqs }),
    };
  },
);
