import * as z from "zod";

/** The answer to `ping`, which clients send to see whether their socket is alive. */
export const pong = "pong";

/** Frames that clients send on `/events`. */
export const clientFrame = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("ack"),
    data: z.object({ delivery_tag: z.int().min(0), multiple: z.boolean().default(false) }),
  }),
  z.object({ type: z.literal("ack_full_sync") }),
]);

/** Types of these frames. Only these have to reach a function; all other frames are answered like a ping. */
export const acknowledgementTypes = ["ack", "ack_full_sync"] as const satisfies readonly z.infer<
  typeof clientFrame
>["type"][];

/** Whether a frame claims to be one of these; the rest of it may be wrong. */
export const isAcknowledgementType = (type: unknown): boolean =>
  acknowledgementTypes.some((one) => one === type);
