import { randomInt } from "node:crypto";

/** API Gateway closes every socket at this age, without exception. */
const hardLimitSeconds = 2 * 3600;

/** Time for the check that closes a socket, so that it comes before the hard limit. */
const marginSeconds = 120;

const shortestLifetimeSeconds = 90 * 60;
const longestLifetimeSeconds = hardLimitSeconds - marginSeconds;

/** Records of sockets expire somewhat later than the sockets themselves. */
export const socketRecordSeconds = hardLimitSeconds + 600;

/**
 * How long a new socket may live, in milliseconds: a random time, because sockets that open together after an outage
 * would otherwise close together, and their clients would return together, again and again.
 */
export const newSocketLifetime = (): number =>
  randomInt(shortestLifetimeSeconds * 1000, longestLifetimeSeconds * 1000 + 1);
