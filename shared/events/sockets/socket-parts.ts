import { NotificationStore } from "../notification-store.ts";
import { DeviceQueues } from "./device-queues.ts";
import { RelayStore } from "./relay-store.ts";
import { SocketPoster } from "./socket-poster.ts";
import { SocketStore } from "./socket-store.ts";

/** Deps of every function that works with sockets, for `declareDeps`. */
export const socketParts = {
  deviceQueues: DeviceQueues,
  notifications: NotificationStore,
  poster: SocketPoster,
  relays: RelayStore,
  sockets: SocketStore,
};
