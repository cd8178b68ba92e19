import { emitMetric } from "#shared/platform/metrics.ts";
import { refusalAfterFlood } from "#shared/sessions/flood-refusal.ts";
import type { Deps } from "./deps.ts";

/**
 * Close a socket whose client floods it, and let its session open no other one for some minutes. Does nothing for a
 * socket that has closed already.
 * @throws Error when it cannot be closed; its next frames lead to another attempt
 */
export async function endFlood(
  { clock, deviceQueues, log, poster, sockets }: Deps,
  socketId: string,
  frames: number,
): Promise<void> {
  const socket = await sockets.get(socketId);
  // Refuse first, because the client may reconnect at once.
  if (socket !== undefined) await sockets.refuse(socket.userId, refusalAfterFlood(socket, clock()));
  const outcome = await poster.close(socketId);
  if (outcome === "failed") throw new Error(`The flooded socket ${socketId} could not be closed`);
  if (outcome === "gone") {
    if (socket !== undefined) await deviceQueues.retire(socket);
    return;
  }
  log.warn("socket-flood", { socketId, userId: socket?.userId, clientId: socket?.clientId, frames });
  emitMetric("FloodedSockets", { value: 1, unit: "Count", audience: "public", log });
}
