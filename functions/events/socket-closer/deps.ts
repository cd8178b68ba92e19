import { SQSClient } from "@aws-sdk/client-sqs";
import { PushTokenStore } from "#shared/events/push/push-token-store.ts";
import { SocketChecks } from "#shared/events/sockets/socket-closure.ts";
import { socketParts } from "#shared/events/sockets/socket-parts.ts";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import { declareDeps } from "#shared/runtime/declare-deps.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = declareDeps(
  {
    ...socketParts,
    outbox: OutboxWorker,
    outgoing: Outbox,
    pushTokens: PushTokenStore,
    sessions: SessionStore,
  },
  (deps) => ({
    checks: new SocketChecks({ ...deps, sqs: new SQSClient(awsClientOptions()) }),
  }),
);
