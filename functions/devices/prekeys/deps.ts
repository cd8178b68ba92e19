import pLimit from "p-limit";
import { DeviceStore } from "#shared/devices/device-store.ts";
import { PrekeyStore } from "#shared/devices/prekey-store.ts";
import { storeContext } from "#shared/platform/data/store-context.ts";
import { SecretReader } from "#shared/platform/secrets/secret-reader.ts";
import type { Runtime } from "#shared/runtime/runtime.ts";
import { createVerifiers } from "#shared/tokens/verifiers.ts";

export type Deps = ReturnType<typeof createDeps>;

/** Claims at one time, by all requests of the process: enough for a typical group, and less than it has sockets. */
const maxConcurrentClaims = 100;

export function createDeps(runtime: Runtime) {
  const secrets = new SecretReader(runtime);
  const stores = storeContext(runtime);
  return {
    ...runtime,
    ...createVerifiers(runtime, secrets),
    claimQueue: pLimit(maxConcurrentClaims),
    devices: new DeviceStore(stores),
    prekeys: new PrekeyStore(stores),
  };
}
