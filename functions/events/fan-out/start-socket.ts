import { setTimeout as delay } from "node:timers/promises";
import { isDeviceSocket } from "#shared/events/sockets/device-queues.ts";
import { relayOf } from "#shared/events/sockets/relay.ts";
import { relayLifeMilliseconds } from "#shared/events/sockets/relay-store.ts";
import type { Socket } from "#shared/events/sockets/socket.ts";
import type { Deps } from "./deps.ts";

/** How long to wait for the answer to `$connect`. Short, because events of others may wait for the same batch. */
const polling = { attempts: 60, pauseMilliseconds: 50 };

/**
 * Send the contents of a device's queue to its socket, as soon as the socket can be posted to.
 * @throws Error when the socket neither opens nor closes, so that the message comes again later
 */
export async function startSocket(deps: Deps, socketId: string): Promise<void> {
  const { deviceQueues, poster, sockets } = deps;
  for (let attempt = 0; attempt < polling.attempts; attempt++) {
    const socket = await sockets.get(socketId);
    if (socket === undefined || !isDeviceSocket(socket)) return;
    if ((await poster.stateOf(socketId)) === "open") {
      const isServed = await deviceQueues.start(socket);
      if (!isServed && relayOf(socketId) !== undefined) await checkLater(deps, socket);
      return;
    }
    await delay(polling.pauseMilliseconds);
  }
  throw new Error(`The socket ${socketId} did not open`);
}

/** The socket that this one waits for may be on a relay that has just died, without anybody knowing yet. */
const checkLater = ({ checks, clock }: Deps, { userId }: Socket) =>
  checks.request({ checkedUserId: userId, notBefore: clock() + relayLifeMilliseconds });
