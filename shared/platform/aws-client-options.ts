import { SignatureHash } from "./signature-hash.ts";

/** More than a function uses concurrently: the time that a call waits for a free socket counts, too. */
const maxSockets = 256;

/** Longest waits of a call, in milliseconds. Tests extend them: a busy machine is no outage of AWS. */
export const callTimeouts = { connection: 1000, answer: 2000 };

/**
 * Options of every SDK client: no call waits for longer than two seconds for AWS, nor than one for a connection. The
 * SDK repeats such a call twice, so that all attempts together stay below the shortest timeout of a function.
 * @param patience how many times as long a call may take that carries megabytes
 */
export const awsClientOptions = ({ patience = 1 } = {}) => ({
  maxAttempts: 3,
  // Build the middleware of each kind of command once, not for each call.
  cacheMiddleware: true,
  sha256: SignatureHash,
  requestHandler: {
    connectionTimeout: callTimeouts.connection,
    requestTimeout: patience * callTimeouts.answer,
    throwOnRequestTimeout: true,
    // An answer that stops half-way.
    socketTimeout: patience * callTimeouts.answer,
    httpAgent: { maxSockets },
    httpsAgent: { maxSockets },
  },
});
