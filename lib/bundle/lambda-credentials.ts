import { fromEnv } from "@aws-sdk/credential-provider-env";

/**
 * Stands for `@aws-sdk/credential-provider-node` in the bundles: Lambda hands a function its credentials in the
 * environment, so the other sources, with the clients of four more services, would only be loaded for nothing.
 */
export const defaultProvider = () => fromEnv();
