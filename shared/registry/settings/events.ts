import * as z from "zod";
import { seconds } from "./types.ts";

/** Settings of the event stream. */
export const eventSettings = {
  /** How long notifications are kept. */
  notificationTTL: seconds.min(1).default(28 * 86_400),
  /** Delay of messages from which further ones are refused. It is that of a conversation or a sender. */
  setMessageBacklog: z
    .strictObject({ afterSecs: seconds.default(30), pauseSecs: seconds.min(1).default(10) })
    .prefault({}),
  /** Open sockets of a user. The oldest close when more are opened. */
  setUserMaxSockets: z.int().min(1).default(64),
  setDeviceMaxSockets: z.int().min(1).default(8),
};
