import * as z from "zod";
import { seconds } from "./types.ts";

/** Settings of the event stream. */
export const eventSettings = {
  /** How long notifications are kept. */
  notificationTTL: seconds.min(1).default(28 * 86_400),
  /**
   * When messages of a conversation, or of a sender, are delivered later than this after they were sent, further ones are
   * refused for a while.
   */
  setMessageBacklog: z
    .strictObject({ afterSecs: seconds.default(30), pauseSecs: seconds.min(1).default(10) })
    .prefault({}),
  /** Open sockets of a user, and of one device: the oldest close when more are opened. */
  setUserMaxSockets: z.int().min(1).default(64),
  setDeviceMaxSockets: z.int().min(1).default(8),
};
