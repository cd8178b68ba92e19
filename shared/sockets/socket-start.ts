import * as z from "zod";

/**
 * What the queue `events` carries when a socket with a device queue has opened: its `$connect` function cannot post to
 * it before it has answered.
 */
export const socketStart = z.object({ socketId: z.string() });
export type SocketStart = z.infer<typeof socketStart>;
