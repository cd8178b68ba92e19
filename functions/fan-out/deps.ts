import type { Config } from "#shared/config.ts";
import { createDocumentClient } from "#shared/data/client.ts";
import { ConnectionStore } from "#shared/data/connection/connection-store.ts";
import { NotificationStore } from "#shared/data/notification/notification-store.ts";
import { SocketStore } from "#shared/data/socket/socket-store.ts";
import { OutboxWorker } from "#shared/messaging/outbox-worker.ts";
import { createRuntime, type Overrides } from "#shared/runtime.ts";
import { DeviceQueues } from "#shared/sockets/device-queues.ts";
import { SocketPoster } from "#shared/sockets/socket-poster.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(config: Config, overrides?: Overrides) {
  const { clock, log, settings } = createRuntime("fan-out", config, overrides);
  const client = createDocumentClient();
  const sockets = {
    clock,
    settings,
    notifications: new NotificationStore(client, config, clock),
    sockets: new SocketStore(client, config, clock),
    poster: new SocketPoster(config),
  };
  return {
    ...sockets,
    log,
    outbox: new OutboxWorker(client, config, clock),
    connections: new ConnectionStore(client, config),
    deviceQueues: new DeviceQueues(sockets),
  };
}
