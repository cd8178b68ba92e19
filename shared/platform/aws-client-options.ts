/** The SDK's own default. */
const defaultSockets = 50;

/**
 * Options of every SDK client: no call waits for longer than two seconds for AWS, nor than one for a connection. The
 * SDK repeats such a call twice, so that all attempts together stay below the shortest timeout of a function.
 *
 * @param options.maxSockets most requests that can be under way concurrently
 */
export function awsClientOptions({ maxSockets = defaultSockets } = {}) {
  return {
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: 1000,
      requestTimeout: 2000,
      throwOnRequestTimeout: true,
      // An answer that stops half-way.
      socketTimeout: 2000,
      httpAgent: { maxSockets },
      httpsAgent: { maxSockets },
    },
  };
}
