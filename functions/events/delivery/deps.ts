import { SQSClient } from "@aws-sdk/client-sqs";
import { BacklogStore } from "#shared/events/backlog-store.ts";
import { LogWriter } from "#shared/events/log-writer.ts";
import { socketParts } from "#shared/events/sockets/socket-parts.ts";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import { ParkedMessages } from "#shared/platform/messaging/parked-messages.ts";
import { Counts } from "#shared/platform/usage/counts.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { TeamStore } from "#shared/teams/team-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    ...socketParts,
    backlogs: BacklogStore,
    counts: Counts,
    outbox: OutboxWorker,
    parked: ParkedMessages,
    teams: TeamStore,
    logWriter: LogWriter,
  },
  () => ({
    sqs: new SQSClient(awsClientOptions()),
  }),
);
