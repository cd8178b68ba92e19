import { SQSClient } from "@aws-sdk/client-sqs";
import type { Config } from "#shared/config.ts";
import { createDocumentClient } from "#shared/data/client.ts";
import { DeviceStore } from "#shared/data/device/device-store.ts";
import { NotificationStore } from "#shared/data/notification/notification-store.ts";
import { SocketStore } from "#shared/data/socket/socket-store.ts";
import { createRuntime, type Overrides } from "#shared/runtime.ts";
import { DeviceQueues } from "#shared/sockets/device-queues.ts";
import { SocketPoster } from "#shared/sockets/socket-poster.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(config: Config, overrides?: Overrides) {
  const runtime = createRuntime("websocket", config, overrides);
  const { clock, settings } = runtime;
  const client = createDocumentClient();
  const sockets = {
    clock,
    settings,
    notifications: new NotificationStore(client, config, clock),
    sockets: new SocketStore(client, config, clock),
    poster: new SocketPoster(config),
  };
  return {
    ...runtime,
    ...sockets,
    devices: new DeviceStore(client, config),
    sqs: new SQSClient(),
    deviceQueues: new DeviceQueues(sockets),
  };
}
