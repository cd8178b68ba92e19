import type { Config } from "#shared/config.ts";
import { createDocumentClient } from "#shared/data/client.ts";
import { DeviceStore } from "#shared/data/device/device-store.ts";
import { PrekeyStore } from "#shared/data/device/prekey-store.ts";
import { createRuntime, type Overrides } from "#shared/runtime.ts";

export type Deps = ReturnType<typeof createDeps>;

/** For the devices of a usual group in one go. */
const claimsAtOnce = 100;

export function createDeps(config: Config, overrides?: Overrides) {
  const runtime = createRuntime("prekeys", config, overrides);
  const client = createDocumentClient({ maxSockets: claimsAtOnce });
  return {
    ...runtime,
    claimsAtOnce,
    devices: new DeviceStore(client, config),
    prekeys: new PrekeyStore(client, config),
  };
}
