import { SQSClient } from "@aws-sdk/client-sqs";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { SocketChecks } from "#shared/events/sockets/socket-closure.ts";
import { createSocketDeps } from "#shared/events/sockets/socket-deps.ts";
import { awsClientOptions } from "#shared/platform/aws-client-options.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { SessionStore } from "#shared/sessions/session-store.ts";
import { createVerifiers } from "#shared/sessions/tokens/verifiers.ts";

export type Deps = ReturnType<typeof createDeps>;

export function createDeps(runtime: Runtime) {
  const stores = storeContext(runtime);
  const secrets = new SecretReader(runtime);
  const sqs = new SQSClient(awsClientOptions());
  return {
    ...runtime,
    ...createSocketDeps(stores, runtime),
    ...createVerifiers(runtime, secrets),
    devices: new DeviceStore(stores),
    sessions: new SessionStore(stores),
    sqs,
    checks: new SocketChecks({ ...runtime, sqs }),
  };
}
