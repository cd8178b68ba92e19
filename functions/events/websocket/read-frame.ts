import * as z from "zod";
import { isDeviceSocket } from "#shared/events/sockets/device-queues.ts";
import type { Deps } from "./deps.ts";

/** Frames that clients send on `/events`. */
const clientFrame = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("ack"),
    data: z.object({ delivery_tag: z.int().min(0), multiple: z.boolean().default(false) }),
  }),
  z.object({ type: z.literal("ack_full_sync") }),
]);

/**
 * Handle a frame from a client. `ping` is answered; on `/await`, anything else is ignored; on `/events`, anything but
 * an acknowledgement closes the socket, as does an acknowledgement out of order.
 *
 * @returns the reply to the client, if there is one
 */
export async function readFrame(deps: Deps, socketId: string, text: string): Promise<string | undefined> {
  // Before anything is read: clients ping every 20 seconds.
  if (text === "ping") return "pong";
  const socket = await deps.sockets.get(socketId);
  if (socket === undefined) return close(deps, socketId);
  if (socket.endpoint === "await") return undefined;
  const frame = clientFrame.safeParse(parseJson(text));
  if (!frame.success) return close(deps, socketId);

  const isFullSync = frame.data.type === "ack_full_sync";
  if (isFullSync !== (socket.awaitsFullSync ?? false)) return close(deps, socketId);
  // Without a device there is nothing to acknowledge: what has been sent is not kept.
  if (!isDeviceSocket(socket)) return undefined;
  if (frame.data.type === "ack_full_sync") await deps.deviceQueues.acknowledgeFullSync(socket);
  else await deps.deviceQueues.acknowledge(socket, frame.data.data.delivery_tag, frame.data.data.multiple);
  return undefined;
}

async function close({ poster }: Deps, socketId: string): Promise<undefined> {
  await poster.close(socketId);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
