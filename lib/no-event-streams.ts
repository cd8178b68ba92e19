/**
 * Stands for `@smithy/core/event-streams` in the bundles: the client of S3 creates one at its start, which only queries of
 * objects need, and the clients of other services load it on demand, which nothing demands.
 */
export const eventStreamSerdeProvider = () => undefined;

export const resolveEventStreamSerdeConfig = <Config>(config: Config): Config => config;
