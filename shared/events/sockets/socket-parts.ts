import { NotificationStore } from "../notification-store.ts";
import { DeviceQueues } from "./device-queues.ts";
import { RelayStore } from "./relay-store.ts";
import { SocketPoster } from "./socket-poster.ts";
import { SocketStore } from "./socket-store.ts";

/** Dependencies of every function that works with sockets, for `declareDeps`. */
export const socketParts = {
  notifications: NotificationStore,
  sockets: SocketStore,
  relays: RelayStore,
  poster: SocketPoster,
  deviceQueues: DeviceQueues,
};
