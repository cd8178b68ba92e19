import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";

export type Deps = ReturnType<typeof createDeps>;

export const createDeps = (runtime: Runtime) => ({
  ...runtime,
  secretsManager: new SecretsManagerClient(awsClientOptions()),
});
