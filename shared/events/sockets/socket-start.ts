import * as z from "zod";

/**
 * Message of the queue `events` when a socket with a device queue has opened: the `$connect` function itself cannot
 * post to the socket before it has returned.
 */
export const socketStart = z.object({ socketId: z.string() });
export type SocketStart = z.infer<typeof socketStart>;
