import { LogWriter } from "#shared/events/log-writer.ts";
import { NotificationStore } from "#shared/events/notification-store.ts";
import { DeviceQueues } from "#shared/events/sockets/device-queues.ts";
import { SocketPoster } from "#shared/events/sockets/socket-poster.ts";
import { SocketStore } from "#shared/events/sockets/socket-store.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { OutboxWorker } from "#shared/platform/messaging/outbox-worker.ts";
import { ParkedMessages } from "#shared/platform/messaging/parked-messages.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  const notifications = new NotificationStore(stores);
  const socketDeps = {
    ...runtime,
    notifications,
    sockets: new SocketStore(stores),
    poster: new SocketPoster(runtime),
  };
  return {
    ...socketDeps,
    outbox: new OutboxWorker(stores),
    parked: new ParkedMessages(stores),
    logWriter: new LogWriter({ ...runtime, notifications }),
    deviceQueues: new DeviceQueues(socketDeps),
  };
}
