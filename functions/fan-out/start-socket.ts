import { setTimeout as delay } from "node:timers/promises";
import { isDeviceSocket } from "#shared/sockets/device-queues.ts";
import type { Deps } from "./deps.ts";

/** For `$connect` to be answered. It must not take long: events of others may wait for the same batch to end. */
const patience = { attempts: 60, pauseMilliseconds: 50 };

/**
 * Send a socket what its device's queue holds, as soon as it can be posted to.
 * @throws Error when it neither opens nor closes: the queue asks again later
 */
export async function startSocket(deps: Deps, socketId: string): Promise<void> {
  const { deviceQueues, poster, sockets } = deps;
  for (let attempt = 0; attempt < patience.attempts; attempt++) {
    const socket = await sockets.get(socketId);
    if (socket === undefined || !isDeviceSocket(socket)) return;
    if (await poster.isOpen(socketId)) return deviceQueues.start(socket);
    await delay(patience.pauseMilliseconds);
  }
  throw new Error(`The socket ${socketId} does not open`);
}
