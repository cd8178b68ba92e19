/** Current time in unix milliseconds; tests set their own. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

export const toSeconds = (milliseconds: number) => Math.floor(milliseconds / 1000);
