import type { Delivery, Webhook } from "./webhook.ts";

const minute = 60_000;
/** Pauses after the first failures in a row; after more, always the last one. */
const pauseMinutes = [0.5, 1, 2, 5, 10, 20, 30, 60];
/** A webhook is switched off when its receiver fails for longer. */
const hopelessMilliseconds = 7 * 24 * 60 * minute;
/** Unless the event has waited for a shorter time: there may have been no events for weeks. */
const doubtMilliseconds = 60 * minute;

/** When the next attempt at a webhook is due, or whether there is none. @param waitingSince of the event that has failed */
export function afterFailure(
  {
    failures,
    failingSince,
    waitingSince,
  }: Pick<Webhook, "failures" | "failingSince"> & Pick<Delivery, "waitingSince">,
  now: number,
): { failures: number; failingSince: number; nextAttemptAt: number; isHopeless: boolean } {
  const since = failingSince ?? now;
  const pause = pauseMinutes[Math.min(failures, pauseMinutes.length - 1)] ?? 60;
  return {
    failures: failures + 1,
    failingSince: since,
    nextAttemptAt: now + pause * minute,
    isHopeless: now - since >= hopelessMilliseconds && now - waitingSince >= doubtMilliseconds,
  };
}
