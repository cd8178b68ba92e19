import * as z from "zod";
import { seconds } from "./types.ts";

/** Settings of the event stream. */
export const eventSettings = {
  /** How long notifications are kept. */
  notificationTTL: seconds.min(1).default(28 * 86_400),
  /** Open sockets of a user, and of one device: the oldest close when more are opened. */
  setUserMaxSockets: z.int().min(1).default(64),
  setDeviceMaxSockets: z.int().min(1).default(8),
};
