/** Returns the current time in unix milliseconds; tests pass their own. */
export type Clock = () => number;

/** The clock of the machine. */
export const systemClock: Clock = () => Date.now();

/** Whole Unix seconds, for time-to-live attributes and token claims. */
export const toSeconds = (milliseconds: number) => Math.floor(milliseconds / 1000);
