/**
 * Stands for `@smithy/core/event-streams` in the bundles: the S3 client creates one at its start, needed only for
 * queries of objects; the clients of other services would load it on demand, but nothing needs it.
 */
export const eventStreamSerdeProvider = () => undefined;

export const resolveEventStreamSerdeConfig = <Config>(config: Config): Config => config;
