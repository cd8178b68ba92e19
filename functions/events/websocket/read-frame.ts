import { clientFrame } from "#shared/events/sockets/client-frame.ts";
import { isDeviceSocket } from "#shared/events/sockets/device-queues.ts";
import type { Deps } from "./deps.ts";

/** Reasons to close a socket because of a frame, as its client sees them. */
export type FrameRefusal = "failed-to-parse" | "unexpected-ack" | "websocket-failure";

/**
 * Handle a frame from a client, which has no answer. On `/await` it is ignored.
 * @returns why the socket has to close: on `/events`, for any frame but an acknowledgement, and for one out of order
 */
export async function readFrame(
  { deviceQueues, sockets }: Deps,
  socketId: string,
  text: string,
): Promise<FrameRefusal | undefined> {
  const socket = await sockets.get(socketId);
  if (socket === undefined) return "websocket-failure";
  if (socket.endpoint === "await") return undefined;
  const frame = clientFrame.safeParse(parseJson(text));
  if (!frame.success) return "failed-to-parse";

  const isFullSync = frame.data.type === "ack_full_sync";
  if (isFullSync !== (socket.awaitsFullSync ?? false)) return "unexpected-ack";
  // Without a device there is nothing to acknowledge, because sent events are not kept.
  if (!isDeviceSocket(socket)) return undefined;
  if (frame.data.type === "ack_full_sync") await deviceQueues.acknowledgeFullSync(socket);
  else await deviceQueues.acknowledge(socket, frame.data.data.delivery_tag, frame.data.data.multiple);
  return undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
