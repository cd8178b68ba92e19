import { clientFrame } from "#shared/events/sockets/client-frame.ts";
import { isDeviceSocket } from "#shared/events/sockets/device-queues.ts";
import type { Deps } from "./deps.ts";

/**
 * Handle a frame from a client, which has no answer. On `/await` it is ignored; on `/events`, anything but an
 * acknowledgement closes the socket, as does an acknowledgement out of order.
 */
export async function readFrame(deps: Deps, socketId: string, text: string): Promise<void> {
  const socket = await deps.sockets.get(socketId);
  if (socket === undefined) return close(deps, socketId);
  if (socket.endpoint === "await") return;
  const frame = clientFrame.safeParse(parseJson(text));
  if (!frame.success) return close(deps, socketId);

  const isFullSync = frame.data.type === "ack_full_sync";
  if (isFullSync !== (socket.awaitsFullSync ?? false)) return close(deps, socketId);
  // Without a device there is nothing to acknowledge: what has been sent is not kept.
  if (!isDeviceSocket(socket)) return;
  if (frame.data.type === "ack_full_sync") await deps.deviceQueues.acknowledgeFullSync(socket);
  else await deps.deviceQueues.acknowledge(socket, frame.data.data.delivery_tag, frame.data.data.multiple);
}

async function close({ poster }: Deps, socketId: string): Promise<void> {
  await poster.close(socketId);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
