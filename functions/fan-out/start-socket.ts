import { setTimeout as delay } from "node:timers/promises";
import { isDeviceSocket } from "#shared/sockets/device-queues.ts";
import type { Deps } from "./deps.ts";

/** Waits for `$connect` to have been answered; then the socket is open, or never will be. */
const patience = { attempts: 60, pauseMilliseconds: 50 };

/** Send a socket what its device's queue holds, as soon as it can be posted to. */
export async function startSocket(deps: Deps, socketId: string): Promise<void> {
  const { deviceQueues, poster, sockets } = deps;
  const socket = await sockets.get(socketId);
  if (socket === undefined || !isDeviceSocket(socket)) return;
  for (let attempt = 0; attempt < patience.attempts; attempt++) {
    if (await poster.isOpen(socketId)) return deviceQueues.start(socket);
    await delay(patience.pauseMilliseconds);
  }
  await deviceQueues.retire(socket);
}
