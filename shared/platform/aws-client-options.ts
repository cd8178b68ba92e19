import type { DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";

/** More than a function uses concurrently, because waiting for a free socket counts towards a call's time. */
const maxSockets = 256;

/** Time limits of a call, in milliseconds. Tests extend them, because a busy machine is not an outage of AWS. */
export const callTimeouts = { connection: 1000, answer: 2000 };

const ignore = () => {};
/**
 * Discards everything, like the SDK's default logger. That one has a method `info`, so the SDK describes input and
 * answer of each call without secrets, which takes a tenth of the call's time.
 */
const logger = { debug: ignore, warn: ignore, error: ignore } as Required<DynamoDBClientConfig>["logger"];

/**
 * Options of every SDK client: no call waits longer than two seconds for AWS, or one for a connection. The SDK repeats
 * such a call twice; all attempts together stay below the shortest timeout of a function.
 * @param patience factor by which a call that carries megabytes may take longer
 */
export const awsClientOptions = ({ patience = 1 } = {}) => ({
  maxAttempts: 3,
  logger,
  // Build the middleware of each kind of command once, not for each call.
  cacheMiddleware: true,
  requestHandler: {
    connectionTimeout: callTimeouts.connection,
    requestTimeout: patience * callTimeouts.answer,
    throwOnRequestTimeout: true,
    // For an answer that stops half-way.
    socketTimeout: patience * callTimeouts.answer,
    httpAgent: { maxSockets },
    httpsAgent: { maxSockets },
  },
});
