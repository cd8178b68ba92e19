/**
 * Replaces `@smithy/core/event-streams` in the bundles. The S3 client would create a stream when it starts, although
 * only queries of objects need it; no other client needs it here.
 */
export const eventStreamSerdeProvider = () => undefined;

export const resolveEventStreamSerdeConfig = <Config>(config: Config): Config => config;
