import { fromEnv } from "@aws-sdk/credential-provider-env";

/**
 * Replaces `@aws-sdk/credential-provider-node` in the bundles: Lambda passes credentials in the environment, so the
 * other sources, with the clients of four more services, would be loaded for nothing.
 */
export const defaultProvider = () => fromEnv();
