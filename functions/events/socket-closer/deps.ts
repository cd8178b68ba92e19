import { SQSClient } from "@aws-sdk/client-sqs";
import { PushTokenStore } from "#shared/events/push/push-token-store.ts";
import { SocketChecks } from "#shared/events/sockets/socket-closure.ts";
import { createSocketDeps } from "#shared/events/sockets/socket-deps.ts";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { Outbox } from "#shared/platform/messaging/outbox.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  return {
    ...runtime,
    ...createSocketDeps(stores, runtime),
    dynamo: stores.dynamo,
    outbox: new OutboxWorker(stores),
    outgoing: new Outbox(runtime),
    pushTokens: new PushTokenStore(stores),
    sessions: new SessionStore(stores),
    checks: new SocketChecks({ ...runtime, sqs: new SQSClient(awsClientOptions()) }),
  };
}
