import { setTimeout as delay } from "node:timers/promises";

const day = 86_400_000;
/** Longer than any test that depends on the day. */
const margin = 60_000;

/**
 * Wait for the end of the day (UTC) if that is near: for tests of what is counted by day or month, where the clock cannot
 * stand still.
 */
export async function awayFromMidnight(): Promise<void> {
  const remaining = day - (Date.now() % day);
  if (remaining < margin) await delay(remaining + 1);
}
