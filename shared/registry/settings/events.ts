import { seconds } from "./types.ts";

/** Settings of the event stream. */
export const eventSettings = {
  /** How long notifications are kept. */
  notificationTTL: seconds.min(1).default(28 * 86_400),
};
