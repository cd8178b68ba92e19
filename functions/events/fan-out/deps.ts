import { SQSClient } from "@aws-sdk/client-sqs";
import { ConnectionStore } from "#shared/connections/connection-store.ts";
import { NotificationStore } from "#shared/events/notification-store.ts";
import { DeviceQueues } from "#shared/events/sockets/device-queues.ts";
import { SocketPoster } from "#shared/events/sockets/socket-poster.ts";
import { SocketStore } from "#shared/events/sockets/socket-store.ts";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  const socketDeps = {
    ...runtime,
    notifications: new NotificationStore(stores),
    sockets: new SocketStore(stores),
    poster: new SocketPoster(runtime),
  };
  return {
    ...socketDeps,
    outbox: new OutboxWorker(stores),
    sqs: new SQSClient(awsClientOptions()),
    connections: new ConnectionStore(stores),
    deviceQueues: new DeviceQueues(socketDeps),
  };
}
