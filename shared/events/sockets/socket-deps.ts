import type { Config } from "#shared/platform/config.ts";
import type { StoreContext } from "#shared/platform/data/store-context.ts";
import type { Log } from "#shared/platform/log.ts";
import { NotificationStore } from "../notification-store.ts";
import { DeviceQueues } from "./device-queues.ts";
import { RelayStore } from "./relay-store.ts";
import { SocketPoster } from "./socket-poster.ts";
import { SocketStore } from "./socket-store.ts";

/** Creates what every function needs that works with sockets. */
export function createSocketDeps(
  stores: StoreContext,
  { config, log }: { config: Pick<Config, "socketsEndpoint" | "relayQueues" | "settings">; log: Log },
) {
  const { clock } = stores;
  const notifications = new NotificationStore(stores);
  const sockets = new SocketStore(stores);
  const relays = new RelayStore(stores);
  const poster = new SocketPoster({ config, log, relays });
  const deviceQueues = new DeviceQueues({ clock, notifications, sockets, poster });
  return { notifications, sockets, relays, poster, deviceQueues };
}
